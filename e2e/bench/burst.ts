import type { Figure } from './figure.ts'
import { percentiles, round } from './percentiles.ts'
import { armed, endedRuns, untilTrue } from './throughput/armed.ts'
import type { Child } from './throughput/child.ts'
import { Rig } from './throughput/rig.ts'
import { seed } from './throughput/seed.ts'

/** Bounds that are there to protect targets would be all that a burst on one target measures. */
export const BURST_SETTINGS = {
  WORKLY_LIMIT_PROJECT_CALLS_IN_FLIGHT: '1000',
  WORKLY_LIMIT_HOST_CALLS_IN_FLIGHT: '1000',
}

/** What the bounds are for. */
const BOUND_JOBS = 5_000
const KILLED_AT = 0.4
/** What has not been called by then counts as not called. */
const GIVEN_UP_MS = 60_000

/** Jobs of one project that are all due at one instant, on one target: when the last of their calls arrives. */
export async function measureBurst(jobs: number): Promise<Figure[]> {
  const rig = await Rig.start()
  try {
    await seed(rig.services, jobs, 1, rig.targetUrl)
    const worker = await rig.startWorker(BURST_SETTINGS)
    const due = (await armed(rig, jobs)).getTime()
    await rig.reached(jobs)
    await untilTrue('every run is recorded', async () => (await endedRuns(rig.services.sql)) === jobs)
    await worker.end()
    const { calls, distinct, arrivals } = await rig.seen()
    const times = arrivals.map(at => at - due)
    const { p50, max } = percentiles(times)
    const rate = Math.round((jobs / (max - Math.min(...times))) * 1_000)
    return [
      {
        bench: 'burst',
        figure: `last arrival of ${jobs} jobs due at one instant`,
        value: max,
        unit: 'ms',
        ...(jobs === BOUND_JOBS && { must: '≤ 3000', aim: '≤ 1500' }),
        note: `p50 ${p50}, ${rate} a second, ${calls - distinct} called twice`,
      },
    ]
  } finally {
    await rig.remove()
  }
}

/** The same burst with its only worker killed by SIGKILL in the middle, and another started at once. */
export async function measureKilledBurst(jobs: number): Promise<Figure[]> {
  const rig = await Rig.start()
  try {
    await seed(rig.services, jobs, 1, rig.targetUrl)
    const worker = await rig.startWorker(BURST_SETTINGS)
    await armed(rig, jobs)
    await rig.reached(Math.ceil(jobs * KILLED_AT))
    const killed = await replace(rig, worker)
    await untilTrue(
      'every job is called',
      async () => (await rig.seen()).distinct === jobs || Date.now() > killed.at + GIVEN_UP_MS,
    )
    const missing = jobs - (await rig.seen()).distinct
    if (missing === 0)
      await untilTrue('every run is recorded', async () => (await endedRuns(rig.services.sql)) === jobs)
    return killFigures(jobs, killed, missing, await rig.seen())
  } finally {
    await rig.remove()
  }
}

interface Kill {
  at: number
  /** Calls that had come by then. */
  calls: number
  /** Attempts that had been begun and not ended. */
  inFlight: number
}

async function replace(rig: Rig, worker: Child): Promise<Kill> {
  await worker.kill()
  const at = Date.now()
  const [open] = await rig.services.sql<{ n: number }[]>`
    select count(*)::int as n from attempts where finished_at is null`
  const calls = await rig.calls()
  await rig.startWorker(BURST_SETTINGS)
  return { at, calls, inFlight: open?.n ?? 0 }
}

function killFigures(
  jobs: number,
  killed: Kill,
  missing: number,
  { calls, distinct, arrivals }: { calls: number; distinct: number; arrivals: number[] },
): Figure[] {
  const bench = 'kill'
  const of = `${jobs} jobs due at one instant, the worker killed`
  return [
    {
      bench,
      figure: `not called ${GIVEN_UP_MS / 1_000} s after the kill, ${of}`,
      value: missing,
      unit: 'jobs',
      must: '= 0',
      aim: '= 0',
      note: `killed after ${killed.calls} calls, another worker started at once`,
    },
    {
      bench,
      figure: `last arrival after the kill, ${of}`,
      value: round((Math.max(...arrivals) - killed.at) / 1_000),
      unit: 's',
      must: '≤ 30',
      aim: '≤ 20',
    },
    {
      bench,
      figure: `called twice, ${of}`,
      value: calls - distinct,
      unit: 'jobs',
      must: `≤ ${killed.inFlight}`,
      note: `${killed.inFlight} were in flight at the kill`,
    },
  ]
}
