import type { Figure } from '../figure.ts'
import { round } from '../percentiles.ts'
import type { Measured } from './account.ts'
import { measureBullmq } from './bullmq-side.ts'
import { findRedis, NO_REDIS, REDIS_SETTINGS, startRedis } from './redis.ts'
import { Rig } from './rig.ts'
import { seed } from './seed.ts'
import { measureWorkly } from './sides.ts'

const PROJECTS = 50
/** Calls under way at once, on both sides. */
const CONCURRENCY = 300
const BOUNDS = '100000'

/** The operator's settings: bounds that are there to protect targets would be all that is measured. */
export const THROUGHPUT_SETTINGS = {
  WORKLY_LIMIT_PROJECT_CALLS_IN_FLIGHT: BOUNDS,
  WORKLY_LIMIT_HOST_CALLS_IN_FLIGHT: BOUNDS,
  WORKLY_WORKER_CONCURRENCY: String(CONCURRENCY),
}

const bench = 'throughput'

/** Runs finished a second beside BullMQ on Redis, in turn on one target. */
export async function compareWithBullmq(jobs: number, rounds: number): Promise<Figure[]> {
  const program = findRedis()
  const rig = await Rig.start()
  try {
    await seed(rig.services, jobs, PROJECTS, rig.targetUrl)
    const redis = program === undefined ? undefined : await startRedis(program)
    const sides: { workly: Measured[]; bullmq: Measured[] } = { workly: [], bullmq: [] }
    for (let turn = 0; turn < rounds; turn++) {
      sides.workly.push(await measureWorkly(rig, jobs, THROUGHPUT_SETTINGS, []))
      if (redis) sides.bullmq.push(await measureBullmq(rig, redis, jobs, CONCURRENCY))
    }
    await redis?.end()
    return figuresOf(jobs, sides)
  } finally {
    await rig.remove()
  }
}

function figuresOf(jobs: number, { workly, bullmq }: { workly: Measured[]; bullmq: Measured[] }): Figure[] {
  const best = (side: Measured[]) => Math.max(...side.map(one => one.per_second))
  const least = (side: Measured[]) =>
    Math.min(...side.map(one => one.cpu_worker + one.cpu_database + one.cpu_target))
  const ratio = {
    bench,
    figure: `runs finished a second, ${jobs} HTTP jobs ÷ BullMQ on Redis`,
    unit: '×',
    must: '≥ 0.5',
    aim: '≥ 1',
  }
  const own: Figure = {
    bench,
    figure: `runs finished a second, ${jobs} HTTP jobs`,
    value: best(workly),
    unit: '/s',
    note: `best of ${workly.length}; ${round(least(workly), 100)} ms of processor time a run`,
  }
  if (bullmq.length === 0) return [{ ...ratio, value: null, note: NO_REDIS }, own]
  const redis = Object.entries(REDIS_SETTINGS)
    .map(([name, value]) => `${name} ${value || '""'}`)
    .join(', ')
  return [
    {
      ...ratio,
      value: round(best(workly) / best(bullmq), 100),
      note: `${best(workly)} ÷ ${best(bullmq)}, best of ${workly.length} in turn; Redis: ${redis}`,
    },
    {
      bench,
      figure: 'the same by processor time a run, BullMQ ÷ Workly',
      value: round(least(bullmq) / least(workly), 100),
      unit: '×',
      note: `${round(least(bullmq), 100)} ms ÷ ${round(least(workly), 100)} ms`,
    },
    own,
  ]
}
