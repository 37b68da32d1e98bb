import { newPruneProgress, prune, type Services } from '@workly/services'
import type { Figure } from './figure.ts'
import type { Store } from './large/store.ts'
import { round } from './percentiles.ts'

const DAY_MS = 86_400_000
/** The runs of the store are spread over this many days. */
const STORED_DAYS = 90
/** Nothing of the audit log is old. */
const AUDIT_MS = 10_000 * DAY_MS

/**
 * How quickly retention removes runs with their attempts from a store that it then no longer is: the share that is
 * older than what is kept first few, then many, and a round that finds nothing new, as the minute after.
 */
export async function measureRetention(store: Store): Promise<Figure[]> {
  const { services } = store
  await giveAttempts(services)
  const few = await removed(services, STORED_DAYS * 0.95)
  const many = await removed(services, STORED_DAYS * 0.5)
  const nothing = await removed(services, STORED_DAYS * 0.5)
  const bench = 'retention'
  return [
    {
      bench,
      figure: 'runs removed a second, where many are old',
      value: Math.round(many.runs / many.seconds),
      unit: 'runs/s',
      must: '≥ 3000',
      aim: '≥ 10000',
      note: `${many.runs} runs and their attempts in ${round(many.seconds, 10)} s; the disk is not waited for`,
    },
    {
      bench,
      figure: 'runs removed a second, where few are old',
      value: Math.round(few.runs / few.seconds),
      unit: 'runs/s',
      note: `${few.runs} runs in ${round(few.seconds, 10)} s, the hourly rest of a first round in it`,
    },
    {
      bench,
      figure: 'a whole round that finds no run old',
      value: round(nothing.seconds * 1_000, 1),
      unit: 'ms',
      must: '≤ 5000',
      note: `what is kept for being a job's latest is looked at again; ${nothing.runs} runs removed`,
    },
  ]
}

/** Every run that had its call has the attempt of it: they go with their runs. */
async function giveAttempts({ sql }: Services): Promise<void> {
  await sql.begin(async sql => {
    await sql`set local session_replication_role = replica`
    await sql`
      insert into attempts (id, organization_id, run_id, number, state, fence, started_at, finished_at, response_status,
        total_ms)
      select 'att_' || substr(id, 5), organization_id, id, 1, case when state = 'failed' then 'failed' else 'succeeded' end,
        1, created_at, finished_at, 200, 12
      from runs where state in ('succeeded', 'failed') on conflict do nothing`
  })
  await sql`vacuum analyze attempts`.simple()
}

/** A first round of a process, with that many days kept. */
async function removed(services: Services, days: number): Promise<{ runs: number; seconds: number }> {
  const from = performance.now()
  const pruned = await prune(services, { runsMs: days * DAY_MS, auditMs: AUDIT_MS }, newPruneProgress())
  const seconds = (performance.now() - from) / 1_000
  if (!pruned) throw new Error('another process is clearing away')
  return { runs: pruned.runs, seconds }
}
