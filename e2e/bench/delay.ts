import type { Stack } from '../harness/stack.ts'
import { Target } from '../harness/target.ts'
import { percentiles } from './percentiles.ts'

/** Milliseconds between the due instant and the arrival of the whole request. */
export interface Delay {
  calls: number
  p50: number
  p90: number
  p99: number
  max: number
}

/** One job due each second on a system that does nothing else. */
export async function measureDelay(stack: Stack, seconds: number): Promise<Delay> {
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
    return { calls: delays.length, ...percentiles(delays) }
  } finally {
    await target.close()
  }
}
