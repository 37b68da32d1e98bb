import type { TransactionSql } from '@workly/db'
import { startDelayMs } from '../metrics/start-delay.ts'
import { type Counted, Tally } from '../metrics/tally.ts'
import { endSteps } from './end-steps.ts'

/** Lost to a dead worker this often in a row, a run has failed: it may be what kills them (spec section 5). */
export const MOST_LOST_IN_A_ROW = 3

const MESSAGE = {
  death: 'The worker that made this call died before it could record the answer.',
  shutdown: 'The worker that made this call was shut down before the answer came.',
  forgotten:
    'The connection to the database broke as this call was begun, so that its worker never heard of it.',
} as const
const FAILED_MESSAGE = `${MESSAGE.death} It was the ${MOST_LOST_IN_A_ROW}rd in a row, so the run has failed.`

/** A call that is to end as lost, and why. */
export interface LostCall {
  id: string
  cause: keyof typeof MESSAGE
}

export interface LostAttempts {
  projects: string[]
  jobs: string[]
  lost: number
  /** What to count, for the caller's admission. */
  tally: Tally
}

interface LostRun extends Counted {
  id: string
  job_id: string
  state: string
  step_count: number
  start_delay_ms: number | null
}

/** The calls that these workers have under way, with what has become of each worker. */
export async function openCallsOf(
  sql: TransactionSql,
  workers: ReadonlyMap<string, LostCall['cause']>,
): Promise<LostCall[]> {
  if (workers.size === 0) return []
  const rows = await sql<{ id: string; worker_id: string }[]>`
    select id, worker_id from attempts where worker_id = any(${[...workers.keys()]}) and state = 'running'`
  return rows.flatMap(({ id, worker_id }) => {
    const cause = workers.get(worker_id)
    return cause === undefined ? [] : [{ id, cause }]
  })
}

/**
 * Ends the given calls, those of them that are still under way, as `lost`. A lost attempt does not count against `max_attempts` and is
 * followed at once by another; the third in a row lost to a death ends the run as failed. Those ended by a shutdown, or
 * forgotten, are not counted (spec section 5).
 *
 * Once in a transaction, with all that it ends, whatever their causes: a second pass would lock jobs and runs out of the
 * order of their ids.
 */
export async function loseAttempts(
  sql: TransactionSql,
  calls: readonly LostCall[],
  now: Date,
): Promise<LostAttempts> {
  const ids = calls.map(call => call.id)
  const open = sql`select run_id from attempts where id = any(${ids}) and state = 'running'`
  await sql`select id from jobs where id in (select job_id from runs where id in (${open})) order by id for no key update`
  await sql`select id from runs where id in (${open}) order by id for no key update`
  const rows = await sql<LostRun[]>`
    with lost as (
      select a.id, r.id as run_id, case when r.step_count > 0 then 'Step ' || a.step_id || ': ' else '' end as step,
        in_a_row, in_a_row >= ${MOST_LOST_IN_A_ROW} as fails, c.message,
        ${startDelayMs(sql)} as start_delay_ms
      from unnest(${ids}::text[], ${calls.map(call => (call.cause === 'death' ? 1 : 0))}::int[],
        ${calls.map(call => MESSAGE[call.cause])}::text[]) as c(id, deaths, message)
      join attempts a on a.id = c.id
      left join runs r on r.id = a.run_id and r.current_attempt_id = a.id
      cross join lateral (select coalesce(r.lost_in_a_row, 0) + c.deaths as in_a_row) counted
      where a.state = 'running'
    ), closed as (
      update attempts a set state = 'lost', error_class = 'lost', error_message = l.message,
        finished_at = ${now}, next_attempt_at = case when not l.fails then ${now}::timestamptz end,
        next_attempt_reason = case when not l.fails then 'A lost attempt is followed at once by another.' end
      from lost l where a.id = l.id
    ), moved as (
      update runs r set lost_in_a_row = l.in_a_row, current_attempt_id = null, slot_host = null, admitted_at = null,
        error_class = 'lost',
        error_message = l.step || case when l.fails then ${FAILED_MESSAGE} else l.message end,
        state = case when l.fails then 'failed' else r.state end,
        due_at = case when not l.fails then ${now}::timestamptz end,
        next_attempt_at = case when not l.fails then ${now}::timestamptz end,
        finished_at = case when l.fails then ${now}::timestamptz end
      from lost l where r.id = l.run_id
      returning r.id, r.job_id, r.organization_id, r.project_id, r.state, r.step_count, l.start_delay_ms
    ), failed as (
      select job_id, count(*) as n from moved where state = 'failed' group by job_id
    ), counted as (
      update jobs j set runs_failed = runs_failed + n, consecutive_failures = consecutive_failures + n,
        last_failure_at = ${now}
      from failed f where j.id = f.job_id
    )
    select * from moved`
  await endSteps(
    sql,
    rows.filter(row => row.state === 'failed' && row.step_count > 0).map(row => row.id),
    { state: 'failed', class: 'lost', message: FAILED_MESSAGE },
    now,
  )
  return {
    projects: [...new Set(rows.map(r => r.project_id))],
    jobs: [...new Set(rows.map(r => r.job_id))],
    lost: rows.length,
    tally: tallyOf(rows),
  }
}

function tallyOf(rows: LostRun[]): Tally {
  const tally = new Tally()
  for (const row of rows) {
    tally.attempt(row, 'lost')
    tally.took(row, 'start_delay', row.start_delay_ms)
    if (row.state === 'failed') tally.run(row, 'failed', 'lost')
  }
  return tally
}
