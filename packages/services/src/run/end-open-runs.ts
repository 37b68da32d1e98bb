import type { Sql, TransactionSql } from '@workly/db'
import { removeContainers } from '../container/remove-containers.ts'
import { startDelayMs } from '../metrics/start-delay.ts'
import { type Counted, Tally } from '../metrics/tally.ts'
import { endSteps } from './end-steps.ts'

/** The channel on which workers hear which attempts to abort; the payload is their ids, separated by commas. */
export const ABORT_CHANNEL = 'workly_abort'
/** Postgres takes at most 8,000 bytes in a notice. */
const IDS_PER_NOTICE = 200

/**
 * Cancels the open runs that a condition picks: a pending one never starts, an open attempt ends as cancelled (with
 * the step of a pipeline that it is of), and the worker that holds its call is told to abort it; every container that
 * the run still has is removed. The caller holds the job's lock, and admits afterwards.
 * @returns what to count, for that admission
 */
export async function endOpenRuns(
  sql: TransactionSql,
  which: ReturnType<Sql>,
  message: string,
  now: Date,
): Promise<Tally> {
  const runs = await sql<(Counted & { id: string; step_count: number; current_attempt_id: string | null })[]>`
    select id, organization_id, project_id, step_count, current_attempt_id from runs
    where ${which} and finished_at is null order by id for no key update`
  if (runs.length === 0) return new Tally()
  const ids = runs.map(r => r.id)
  // Of one that no worker holds (it waits, or is a container) the start has been counted.
  const cut = await sql<(Counted & { start_delay_ms: number | null })[]>`
    update attempts a set state = 'cancelled', error_class = 'cancelled', error_message = ${message},
      finished_at = ${now}
    from runs r where r.id = a.run_id and r.id = any(${ids}) and a.state in ('running', 'waiting')
    returning r.organization_id, r.project_id,
      case when a.worker_id is not null then ${startDelayMs(sql)} end as start_delay_ms`
  await sql`
    update runs set state = 'cancelled', finished_at = ${now}, error_class = 'cancelled', error_message = ${message},
      due_at = null, next_attempt_at = null, current_attempt_id = null, slot_host = null, admitted_at = null,
      waits_for_turn = false
    where id = any(${ids})`
  await endSteps(
    sql,
    runs.filter(r => r.step_count > 0).map(r => r.id),
    { state: 'cancelled', class: 'cancelled', message },
    now,
  )
  const containers = await removeContainers(sql, sql`run_id = any(${ids})`, now)
  const attempts = runs.flatMap(r => (r.current_attempt_id ? [r.current_attempt_id] : []))
  await tellToAbort(sql, [...new Set([...attempts, ...containers])])
  return tallyOf(runs, cut)
}

/** Tells the workers which attempts' calls to abort, and whose containers to remove. */
export async function tellToAbort(sql: TransactionSql, attemptIds: string[]): Promise<void> {
  for (let i = 0; i < attemptIds.length; i += IDS_PER_NOTICE) {
    await sql`select pg_notify(${ABORT_CHANNEL}, ${attemptIds.slice(i, i + IDS_PER_NOTICE).join(',')})`
  }
}

function tallyOf(runs: Counted[], attempts: (Counted & { start_delay_ms: number | null })[]): Tally {
  const tally = new Tally()
  for (const run of runs) tally.run(run, 'cancelled')
  for (const attempt of attempts) {
    tally.attempt(attempt, 'cancelled')
    tally.took(attempt, 'start_delay', attempt.start_delay_ms)
  }
  return tally
}
