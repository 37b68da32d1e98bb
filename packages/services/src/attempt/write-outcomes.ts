import type { TransactionSql } from '@workly/db'
import type { Outcome } from './outcome.ts'

/** Why the run fails, or its latest attempt did: of a pipeline with the step that it was. */
function messageOf({ call, run }: Outcome): string | null {
  const { message } = call.result
  return message !== null && run.step !== null ? `Step ${run.step.id}: ${message}` : message
}

/**
 * Writes what becomes of the runs: ended, waiting for a callback, or due again. Their ids are named besides, as in
 * {@link writeAttempts}.
 */
export async function writeRuns(sql: TransactionSql, outcomes: Outcome[], now: Date): Promise<void> {
  const column = <T>(of: (outcome: Outcome) => T) => outcomes.map(of)
  const failure = (o: Outcome) => (o.call.result.class === 'ok' ? null : o.call.result)
  await sql`
    update runs r set state = o.state, attempts_counted = o.counted, lost_in_a_row = 0,
      current_attempt_id = case when o.waits_until is not null then r.current_attempt_id end,
      slot_host = null, admitted_at = null, due_at = o.next_at, next_attempt_at = coalesce(o.next_at, o.waits_until),
      error_class = o.class, error_message = o.message,
      finished_at = case when o.state = 'running' then null else ${now}::timestamptz end
    from unnest(${column(o => o.run.run_id)}::text[], ${column(o => o.state)}::text[], ${column(o => o.counted)}::int[],
      ${column(o => (o.advances ? now : o.nextAttemptAt)?.toISOString() ?? null)}::timestamptz[],
      ${column(o => o.waitsUntil?.toISOString() ?? null)}::timestamptz[],
      ${column(o => failure(o)?.class ?? null)}::text[], ${column(o => (failure(o) ? messageOf(o) : null))}::text[])
      as o(id, state, counted, next_at, waits_until, class, message)
    where r.id = o.id and r.id = any(${column(o => o.run.run_id)})`
}

/** Adds ended runs to what their jobs count. */
export async function writeJobs(sql: TransactionSql, ended: Outcome[], now: Date): Promise<void> {
  if (ended.length === 0) return
  await sql`
    with ended as (
      select job_id, count(*) filter (where state = 'succeeded') as succeeded,
        count(*) filter (where state = 'failed') as failed,
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
    from ended e where j.id = e.job_id and j.id = any(${ended.map(o => o.run.job_id)})`
}
