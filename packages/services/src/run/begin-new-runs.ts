import { admissionRank } from '@workly/core'
import type { TransactionSql } from '@workly/db'
import type { BegunAttempt } from '../attempt/begin-attempts.ts'
import { freshId } from '../context.ts'
import type { NewRun } from './insert-runs.ts'

/** A worker that begins calls as it claims them. */
export interface Hand {
  workerId: string
  /** Calls that it has room for now. */
  room: number
}

/** Of runs that are about to be made: those that are plain calls, with the names of their jobs. */
export interface FullHand extends Hand {
  calls: ReadonlyMap<NewRun, string>
}

/** Those of the runs that the hand takes, in their order: as many as it has room for, of those that have their slots. */
export function takenInHand(
  hand: FullHand | null,
  runs: readonly NewRun[],
  admitted: ReadonlySet<NewRun>,
): Set<NewRun> {
  if (!hand) return new Set()
  return new Set(runs.filter(run => admitted.has(run) && hand.calls.has(run)).slice(0, hand.room))
}

/**
 * Makes runs with their slots and their first attempts begun, in one statement: what admission, a task and
 * `beginAttempts` come to, where the worker that claims a run is the one that calls (docs/decisions/0009). A time of a
 * job that has a run already keeps it, as in `insertRuns`.
 *
 * The caller holds the worker's row, with its lease good, and the projects, and has counted; the jobs are locked and not
 * deleted. The calls may go out once the transaction has committed.
 */
export async function beginNewRuns(
  sql: TransactionSql,
  hand: FullHand,
  runs: NewRun[],
  now: Date,
): Promise<BegunAttempt[]> {
  if (runs.length === 0) return []
  const column = <T>(of: (run: NewRun) => T) => runs.map(of)
  return sql<BegunAttempt[]>`
    with made as (
      insert into runs (id, current_attempt_id, organization_id, project_id, job_id, request_version_id, host,
        slot_host, trigger, set_going_by, admission_rank, scheduled_for, state, admitted_at, task_number, attempts_made,
        created_at, pending_at, started_at)
      select n.id, n.attempt_id, n.organization_id, n.project_id, n.job_id, n.request_version_id, n.host, n.host,
        n.trigger, n.set_going_by, n.admission_rank, n.scheduled_for, 'running', ${now}::timestamptz, 1, 1,
        ${now}::timestamptz, ${now}::timestamptz, ${now}::timestamptz
      from unnest(
        ${column(() => freshId('run', now))}::text[], ${column(() => freshId('attempt', now))}::text[],
        ${column(r => r.organizationId)}::text[], ${column(r => r.projectId)}::text[], ${column(r => r.jobId)}::text[],
        ${column(r => r.requestVersionId)}::text[], ${column(r => r.host)}::text[], ${column(r => r.trigger)}::text[],
        ${column(r => r.setGoingBy)}::text[], ${column(r => admissionRank(r.setGoingBy))}::smallint[],
        ${column(r => r.scheduledFor.toISOString())}::timestamptz[]) as n(id, attempt_id, organization_id, project_id,
        job_id, request_version_id, host, trigger, set_going_by, admission_rank, scheduled_for)
      on conflict (job_id, scheduled_for) do nothing
      returning id, organization_id, project_id, job_id, request_version_id, scheduled_for, current_attempt_id,
        task_number, attempts_made
    ), called as materialized (
      select m.*, n.job_name, nextval('attempt_fence') as fence, v.request
      from made m
      join unnest(${column(r => r.jobId)}::text[], ${column(r => r.scheduledFor.toISOString())}::timestamptz[],
        ${column(r => hand.calls.get(r) ?? null)}::text[]) as n(job_id, scheduled_for, job_name)
        on n.job_id = m.job_id and n.scheduled_for = m.scheduled_for
      -- By its id, whatever the planner takes the table to hold.
      cross join lateral (select request from request_versions where id = m.request_version_id limit 1) v
    ), attempted as (
      insert into attempts (id, organization_id, run_id, number, state, worker_id, fence, started_at)
      select current_attempt_id, organization_id, id, attempts_made, 'running', ${hand.workerId}, fence, ${now}
      from called
    )
    select current_attempt_id as attempt_id, fence, attempts_made as number, id as run_id, task_number,
      null as step_id, organization_id, project_id, job_id, job_name, scheduled_for, request
    from called order by id`
}
