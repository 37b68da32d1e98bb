import { claimDue, type Services } from '@workly/services'
import type { Figure } from './figure.ts'
import type { Store } from './large/store.ts'
import { percentiles, round } from './percentiles.ts'
import { cpuSeconds } from './throughput/cpu.ts'

const FEW = 1_000
const BATCH = 200
const ROUNDS = 15

/**
 * How long the claim of a batch of due jobs takes with all the jobs of the store in the table, beside a database on the
 * same server with few: in turn, so that both have the same machine.
 */
export async function measureClaim(store: Store, jobs: number): Promise<Figure[]> {
  const few = await store.beside('few', { jobs: FEW, runs: FEW * 5 })
  try {
    const sides = [few.services, store.services].map(services => ({ services, ms: [] as number[], cpu: 0 }))
    // The first rounds warm caches and statements.
    for (let n = -3; n < ROUNDS; n++) {
      for (const side of sides) {
        const one = await claimOnce(side.services, store.postgres.pid)
        if (n < 0) continue
        side.ms.push(one.ms)
        side.cpu += one.cpu
      }
    }
    const [small, large] = sides.map(({ ms, cpu }) => ({ p50: percentiles(ms).p50, cpu }))
    if (!small || !large) throw new Error('a side was not measured')
    const bench = 'claim'
    const times = `${large.p50} ms ÷ ${small.p50} ms, medians of ${ROUNDS} in turn`
    return [
      {
        bench,
        figure: `claim of ${BATCH} due jobs with ${jobs} in the table ÷ with ${FEW}`,
        value: round(large.p50 / small.p50, 100),
        unit: '×',
        must: '≤ 1.3',
        aim: '≤ 1.1',
        note: times,
      },
      { bench, figure: "the same in PostgreSQL's time", value: round(large.cpu / small.cpu, 100), unit: '×' },
    ]
  } finally {
    await few.end()
  }
}

async function claimOnce(services: Services, postgres: number): Promise<{ ms: number; cpu: number }> {
  const { sql } = services
  const picked = await sql<{ id: string }[]>`
    select id from jobs tablesample bernoulli (least(100, 1000 * ${BATCH}::int / (select reltuples from pg_class
      where oid = 'public.jobs'::regclass)::float)) where next_run_at is not null limit ${BATCH}`
  const ids = picked.map(({ id }) => id)
  await sql`update schedule_versions set cron = '* * * * *' where job_id = any(${ids})`
  await sql`update jobs set next_run_at = date_trunc('minute', now()) where id = any(${ids})`
  const cpuBefore = cpuSeconds(postgres)
  const from = performance.now()
  const claimed = await claimDue(services, 500)
  const ms = performance.now() - from
  const cpu = cpuSeconds(postgres) - cpuBefore
  if (claimed !== ids.length) throw new Error(`${claimed} of ${ids.length} due jobs were claimed`)
  // As it was before: what was made is gone, and none is due.
  await sql`delete from runs where job_id = any(${ids}) and finished_at is null`
  await sql`update jobs set next_run_at = now() + interval '300 days' where id = any(${ids})`
  await sql`select graphile_worker.complete_jobs(array(select id from graphile_worker.jobs))`
  return { ms, cpu }
}
