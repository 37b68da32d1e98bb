import type { TransactionSql } from '@workly/db'
import type { Services } from '../context.ts'
import { startDelayMs } from '../metrics/start-delay.ts'
import { admitWaiting } from '../run/admit-waiting.ts'
import { releaseWaiting } from '../run/release-waiting.ts'
import { countFinished } from './count-finished.ts'
import { keepLateResults } from './late-results.ts'
import { decide, type FinishedCall, type HeldRun, type Outcome } from './outcome.ts'
import { writeAttempts } from './write-attempts.ts'

/** Locks the jobs, then the runs, of the attempts that are still open and held under the given fences. */
async function lockHeld(sql: TransactionSql, calls: FinishedCall[]): Promise<Map<string, HeldRun>> {
  const runIds = calls.map(c => c.runId)
  await sql`select id from jobs where id in (select job_id from runs where id = any(${runIds}))
    order by id for no key update`
  await sql`select id from runs where id = any(${runIds}) order by id for no key update`
  const rows = await sql<HeldRun[]>`
    select r.id as run_id, r.job_id, r.project_id, r.organization_id, r.scheduled_for, r.started_at, r.attempts_counted,
      a.id as attempt_id, a.fence, j.max_attempts, j.min_backoff_seconds, j.max_backoff_seconds,
      j.backoff_multiplier, j.retry_on_4xx, ${startDelayMs(sql)} as start_delay_ms
    from attempts a
    join runs r on r.id = a.run_id and r.current_attempt_id = a.id
    join jobs j on j.id = r.job_id
    where a.id = any(${calls.map(c => c.attemptId)}) and a.state = 'running' and r.state = 'running'`
  return new Map(rows.map(row => [row.attempt_id, row]))
}

async function writeRuns(sql: TransactionSql, outcomes: Outcome[], now: Date): Promise<void> {
  const column = <T>(of: (outcome: Outcome) => T) => outcomes.map(of)
  const failure = (o: Outcome) => (o.call.result.class === 'ok' ? null : o.call.result)
  await sql`
    update runs r set state = o.state, attempts_counted = o.counted, lost_in_a_row = 0, current_attempt_id = null,
      slot_host = null, admitted_at = null, due_at = o.next_at, next_attempt_at = o.next_at,
      error_class = o.class, error_message = o.message,
      finished_at = case when o.state = 'running' then null else ${now}::timestamptz end
    from unnest(${column(o => o.run.run_id)}::text[], ${column(o => o.state)}::text[], ${column(o => o.counted)}::int[],
      ${column(o => o.nextAttemptAt?.toISOString() ?? null)}::timestamptz[],
      ${column(o => failure(o)?.class ?? null)}::text[], ${column(o => failure(o)?.message ?? null)}::text[])
      as o(id, state, counted, next_at, class, message)
    where r.id = o.id`
}

async function writeJobs(sql: TransactionSql, ended: Outcome[], now: Date): Promise<void> {
  if (ended.length === 0) return
  await sql`
    with ended as (
      select job_id, count(*) filter (where state = 'succeeded') as succeeded,
        count(*) filter (where state = 'failed') as failed,
        (array_agg(state order by place desc))[1] as latest,
        count(*) - max(place) filter (where state = 'succeeded') as failed_since
      from (select job_id, state, row_number() over (partition by job_id order by n) as place
        from unnest(${ended.map(o => o.run.job_id)}::text[], ${ended.map(o => o.state)}::text[])
        with ordinality as e(job_id, state, n)) e
      group by job_id
    )
    update jobs j set runs_succeeded = runs_succeeded + e.succeeded, runs_failed = runs_failed + e.failed,
      last_success_at = case when e.succeeded > 0 then ${now}::timestamptz else j.last_success_at end,
      last_failure_at = case when e.failed > 0 then ${now}::timestamptz else j.last_failure_at end,
      consecutive_failures = coalesce(e.failed_since, j.consecutive_failures + e.failed)
    from ended e where j.id = e.job_id`
}

/**
 * Writes the results of a batch of calls in one transaction: the attempts, what becomes of their runs (ended, or the
 * next attempt by the job's present settings), the job's counters, and the admission of what waited for the slots.
 * A result whose fence is no longer held (the attempt was taken for lost, or the run cancelled) changes nothing and is
 * kept beside the attempt as late.
 * @param now the worker's reading of the database's clock
 * @returns the attempts whose results were refused
 */
export async function finishAttempts(
  services: Services,
  calls: FinishedCall[],
  now: Date,
): Promise<string[]> {
  if (calls.length === 0) return []
  return services.sql.begin(async sql => {
    const held = await lockHeld(sql, calls)
    const refused: FinishedCall[] = []
    const outcomes = calls.flatMap(call => {
      const run = held.get(call.attemptId)
      // Of two results of one attempt in a batch the first counts.
      if (run?.fence === call.fence && held.delete(call.attemptId)) return [decide(call, run, now)]
      refused.push(call)
      return []
    })
    await keepLateResults(sql, refused)
    if (outcomes.length > 0) {
      await writeAttempts(sql, outcomes)
      await writeRuns(sql, outcomes, now)
      const ended = outcomes.filter(o => o.state !== 'running')
      await writeJobs(sql, ended, now)
      await releaseWaiting(sql, [...new Set(ended.map(o => o.run.job_id))])
      await admitWaiting(
        sql,
        services.limits,
        outcomes.map(o => o.run.project_id),
        now,
        countFinished(outcomes),
      )
    }
    return refused.map(call => call.attemptId)
  })
}
