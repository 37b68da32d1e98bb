import type { Stack } from '../harness/stack.ts'
import { Target } from '../harness/target.ts'
import type { Figure } from './figure.ts'
import { percentiles } from './percentiles.ts'

/** One job due each second on a system that does nothing else: from the due instant until the whole request has arrived. */
export async function measureDelay(stack: Stack, seconds: number): Promise<Figure[]> {
  const target = await Target.start()
  try {
    await stack.api.putJob('bench-delay', {
      cron: '* * * * * *',
      dialect: 'extended',
      overlap: 'allow',
      url: target.url('/'),
    })
    // The first calls warm up connections and code; they are not counted.
    const warmUp = 5
    const calls = await target.received(seconds + warmUp, '/', (seconds + 60) * 1_000)
    await stack.api.deleteJob('bench-delay')
    const delays = calls
      .slice(warmUp, warmUp + seconds)
      .map(call => call.at - Date.parse(String(call.headers['workly-scheduled-for'])))
    const { p50, p90, p99, max } = percentiles(delays)
    const figure = (name: string, value: number, bounds: { must: string; aim: string }): Figure => ({
      bench: 'delay',
      figure: `${name} from the due instant to the arrival, idle system`,
      value,
      unit: 'ms',
      ...bounds,
      note: `${delays.length} calls, p90 ${p90}, max ${max}`,
    })
    return [
      figure('p50', p50, { must: '≤ 30', aim: '≤ 10' }),
      figure('p99', p99, { must: '≤ 200', aim: '≤ 50' }),
    ]
  } finally {
    await target.close()
  }
}
