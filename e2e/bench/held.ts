import { setTimeout as delay } from 'node:timers/promises'
import type { Figure } from './figure.ts'
import { percentiles } from './percentiles.ts'
import { untilTrue } from './throughput/armed.ts'
import { memoryMib, peakMemoryMib } from './throughput/cpu.ts'
import { Rig } from './throughput/rig.ts'
import { makeDue, seed } from './throughput/seed.ts'

const PROJECTS = 50
const IN_FLIGHT = 1_000

/** Every pending run then has its task, so that the worker could fetch them all. */
export const HELD_SETTINGS = {
  WORKLY_LIMIT_PROJECT_CALLS_IN_FLIGHT: '100000',
  WORKLY_LIMIT_HOST_CALLS_IN_FLIGHT: '100000',
  WORKLY_WORKER_CONCURRENCY: String(IN_FLIGHT),
  WORKLY_SHUTDOWN_GRACE: '0',
}

/** A worker that waits for the answers of a thousand calls, with very many runs behind them: what it holds. */
export async function measureHeld(pending: number, seconds: number): Promise<Figure[]> {
  const rig = await Rig.start()
  try {
    const jobs = pending + IN_FLIGHT
    await seed(rig.services, jobs, PROJECTS, `${rig.targetUrl}held`, { timeout_seconds: 1_800 })
    const worker = await rig.startWorker(HELD_SETTINGS)
    const { sql } = rig.services
    await makeDue(sql, new Date())
    await rig.reached(IN_FLIGHT)
    await untilTrue('every run is there', async () => {
      const [row] = await sql<{ n: number }[]>`select count(*)::int as n from runs`
      return row?.n === jobs
    })
    const held: number[] = []
    const from = performance.now()
    while (performance.now() < from + seconds * 1_000) {
      await delay(500)
      held.push(memoryMib(worker.pid) ?? Number.NaN)
    }
    const [states] = await sql<{ pending: number; open: number }[]>`
      select (count(*) filter (where state = 'pending'))::int as pending,
        (select count(*)::int from attempts where finished_at is null) as open from runs`
    const { p50, max } = percentiles(held)
    return [
      {
        bench: 'held',
        figure: `worker's memory, ${IN_FLIGHT} calls in flight, ${pending} runs pending`,
        value: max,
        unit: 'MiB',
        must: '≤ 400',
        aim: '≤ 200',
        note: `p50 ${p50}, peak ${peakMemoryMib(worker.pid)}; ${states?.open} in flight, ${states?.pending} pending`,
      },
    ]
  } finally {
    await rig.remove()
  }
}
