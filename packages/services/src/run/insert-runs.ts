import { admissionRank, type RunState, type RunTrigger, type SetGoingBy, type SkipReason } from '@workly/core'
import type { TransactionSql } from '@workly/db'
import { freshId } from '../context.ts'
import { deliverTask } from './deliver-task.ts'
import { insertSteps } from './insert-steps.ts'

/** A run to be made. Its state is pending, or skipped with the reason. */
export interface NewRun {
  organizationId: string
  projectId: string
  jobId: string
  requestVersionId: string
  host: string
  trigger: RunTrigger
  setGoingBy: SetGoingBy
  scheduledFor: Date
  state: Extract<RunState, 'pending' | 'skipped'>
  skipReason: SkipReason | null
  waitsForTurn: boolean
  /** Of a pipeline; 0 otherwise. */
  stepCount: number
}

/** A run that now exists. */
export interface InsertedRun {
  id: string
  organization_id: string
  project_id: string
  job_id: string
  state: RunState
  skip_reason: SkipReason | null
  waits_for_turn: boolean
  step_count: number
}

/**
 * Inserts runs in one statement, with the tasks of those that have their slots already, and the steps of pipelines among them. A time of a job that has a run already keeps it: the unique constraint on job and
 * scheduled time is what makes one run per time true, whoever else is claiming.
 * @param admitted those that have a slot from the beginning; the caller holds their projects and has counted
 * @returns those that were inserted
 */
export async function insertRuns(
  sql: TransactionSql,
  runs: NewRun[],
  now: Date,
  admitted: ReadonlySet<NewRun> = new Set(),
): Promise<InsertedRun[]> {
  if (runs.length === 0) return []
  const column = <T>(of: (run: NewRun) => T) => runs.map(of)
  const ended = (run: NewRun) => run.state === 'skipped'
  const waits = (run: NewRun) => !ended(run) && !admitted.has(run)
  const due = (run: NewRun) => (run.scheduledFor < now ? run.scheduledFor : now).toISOString()
  const inserted = await sql<InsertedRun[]>`
    with made as (
      insert into runs (id, organization_id, project_id, job_id, request_version_id, host, trigger, set_going_by,
        admission_rank, step_count, scheduled_for, state, skip_reason, waits_for_turn, due_at, finished_at, slot_host,
        admitted_at, task_number, created_at, pending_at)
      select n.*, case when n.slot_host is not null then ${now}::timestamptz end,
        case when n.slot_host is not null then 1 else 0 end, ${now}::timestamptz, ${now}::timestamptz
      from unnest(
        ${column(() => freshId('run', now))}::text[], ${column(r => r.organizationId)}::text[],
        ${column(r => r.projectId)}::text[], ${column(r => r.jobId)}::text[],
        ${column(r => r.requestVersionId)}::text[], ${column(r => r.host)}::text[],
        ${column(r => r.trigger)}::text[], ${column(r => r.setGoingBy)}::text[],
        ${column(r => admissionRank(r.setGoingBy))}::smallint[], ${column(r => r.stepCount)}::smallint[],
        ${column(r => r.scheduledFor.toISOString())}::timestamptz[], ${column(r => r.state)}::text[],
        ${column(r => r.skipReason)}::text[], ${column(r => String(r.waitsForTurn))}::text[]::boolean[],
        ${column(r => (waits(r) ? due(r) : null))}::timestamptz[],
        ${column(r => (ended(r) ? now.toISOString() : null))}::timestamptz[],
        ${column(r => (admitted.has(r) ? r.host : null))}::text[]) as n(id, organization_id, project_id, job_id,
        request_version_id, host, trigger, set_going_by, admission_rank, step_count, scheduled_for, state, skip_reason,
        waits_for_turn, due_at, finished_at, slot_host)
      on conflict (job_id, scheduled_for) do nothing
      returning id, organization_id, project_id, job_id, state, skip_reason, waits_for_turn, step_count, slot_host,
        task_number
    ), tasks as (
      -- In the order in which the runs were given, which is that of their ids.
      select count(*) as n
      from (select array_agg(${deliverTask(sql)} order by id) as specs from made where slot_host is not null) s
      cross join lateral graphile_worker.add_jobs(s.specs) where s.specs is not null
    )
    select id, organization_id, project_id, job_id, state, skip_reason, waits_for_turn, step_count
    from made cross join tasks`
  await insertSteps(
    sql,
    inserted.filter(run => run.step_count > 0).map(run => run.id),
  )
  return inserted
}
