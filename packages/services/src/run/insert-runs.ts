import { admissionRank, type RunState, type RunTrigger, type SetGoingBy, type SkipReason } from '@workly/core'
import type { TransactionSql } from '@workly/db'
import { freshId } from '../context.ts'
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
 * Inserts runs in one statement, and the steps of pipelines among them. A time of a job that has a run already keeps it: the unique constraint on job and
 * scheduled time is what makes one run per time true, whoever else is claiming.
 * @returns those that were inserted
 */
export async function insertRuns(sql: TransactionSql, runs: NewRun[], now: Date): Promise<InsertedRun[]> {
  if (runs.length === 0) return []
  const column = <T>(of: (run: NewRun) => T) => runs.map(of)
  const ended = (run: NewRun) => run.state === 'skipped'
  const inserted = await sql<InsertedRun[]>`
    insert into runs (id, organization_id, project_id, job_id, request_version_id, host, trigger, set_going_by,
      admission_rank, step_count, scheduled_for, state, skip_reason, waits_for_turn, due_at, finished_at, created_at,
      pending_at)
    select *, ${now}::timestamptz, ${now}::timestamptz from unnest(
      ${column(() => freshId('run', now))}::text[], ${column(r => r.organizationId)}::text[],
      ${column(r => r.projectId)}::text[], ${column(r => r.jobId)}::text[],
      ${column(r => r.requestVersionId)}::text[], ${column(r => r.host)}::text[],
      ${column(r => r.trigger)}::text[], ${column(r => r.setGoingBy)}::text[],
      ${column(r => admissionRank(r.setGoingBy))}::smallint[], ${column(r => r.stepCount)}::smallint[],
      ${column(r => r.scheduledFor.toISOString())}::timestamptz[], ${column(r => r.state)}::text[],
      ${column(r => r.skipReason)}::text[], ${column(r => String(r.waitsForTurn))}::text[]::boolean[],
      ${column(r => (ended(r) ? null : (r.scheduledFor < now ? r.scheduledFor : now).toISOString()))}::timestamptz[],
      ${column(r => (ended(r) ? now.toISOString() : null))}::timestamptz[])
    on conflict (job_id, scheduled_for) do nothing
    returning id, organization_id, project_id, job_id, state, skip_reason, waits_for_turn, step_count`
  await insertSteps(
    sql,
    inserted.filter(run => run.step_count > 0).map(run => run.id),
  )
  return inserted
}
