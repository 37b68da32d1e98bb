import { invalid, JOB_NAME, type RunState, type SkipReason, type StepState } from '@workly/core'
import { authorize } from '../authorize.ts'
import type { ProjectContext } from '../context.ts'
import { inProject, writtenLimit } from '../cursor.ts'
import type { JobRow } from '../job/job-row.ts'
import { isOfKind, kindOf } from './run-kind.ts'

/** The most that one answer holds (spec section 9). */
export const MOST_EXECUTIONS = 1_000
const DEFAULT_EXECUTIONS = 100

export interface ExecutionFilter {
  kind?: JobRow['kind'] | undefined
  /** A job's name; of one that is not there, there are none. */
  job?: string | undefined
  /** 1 to 1,000; default 100. */
  limit?: number | undefined
}

/** What was reported, or why something failed. */
interface Told {
  result: string | null
  description: string | null
  error_class: string | null
  error_message: string | null
}

/** A step of a pipeline's run. */
export interface ListedStep extends Told {
  id: string
  state: StepState
}

/** A run with what its steps came to. Of what is no pipeline, `result` is that of the callback that decided it. */
export interface ListedExecution extends Told {
  id: string
  kind: JobRow['kind']
  job: string
  state: RunState
  skip_reason: SkipReason | null
  scheduled_for: Date
  started_at: Date | null
  finished_at: Date | null
  finished_out_of_time: boolean
  /** What came after the wait for it had run out. */
  late_result: { result: string; description: string | null } | null
  /** Of a pipeline, in order; null otherwise. */
  steps: ListedStep[] | null
}

/**
 * Runs of the project with their steps, the newest first, in one statement however many they are. The order is that of the
 * indexes of runs, which the primary key has not: see the migration list_order.
 * @throws WorklyError `invalid_request` on `limit`, `forbidden`
 */
export async function listExecutions(
  ctx: ProjectContext,
  { kind, job, limit = DEFAULT_EXECUTIONS }: ExecutionFilter = {},
): Promise<ListedExecution[]> {
  authorize(ctx, 'read')
  if (!Number.isInteger(limit) || limit < 1 || limit > MOST_EXECUTIONS) {
    throw invalid([{ field: 'limit', message: `a whole number from 1 to ${MOST_EXECUTIONS}` }])
  }
  if (job !== undefined && !JOB_NAME.test(job)) return []
  const { sql } = ctx.services
  const named = sql`r.organization_id = ${ctx.organizationId} and r.project_id = ${ctx.projectId} and r.job_id = (
    select id from jobs where organization_id = ${ctx.organizationId} and project_id = ${ctx.projectId}
      and name = ${job ?? ''} and deleted_at is null)`
  return sql<ListedExecution[]>`
    with page as materialized (
      select r.*, j.name as job, ${kindOf(sql)} as kind
      from runs r join jobs j on j.id = r.job_id
      where ${job === undefined ? inProject(sql, 'r', ctx) : named} and j.deleted_at is null
        ${kind === undefined ? sql`` : sql`and ${isOfKind(sql, kind)}`}
      order by r.id collate "C" desc limit ${writtenLimit(sql, limit)}
    )
    select p.id, p.kind, p.job, p.state, p.skip_reason, p.scheduled_for, p.started_at, p.finished_at, p.error_class,
      p.error_message, p.finished_out_of_time, p.late_result, last.result, last.description, steps.steps
    from page p
    left join lateral (
      select case when late_result is null then callback_result end as result,
        case when late_result is null then callback_description end as description
      from attempts where p.step_count = 0 and run_id = p.id and step_id = '' order by number desc limit 1
    ) last on true
    left join lateral (
      select jsonb_agg(jsonb_build_object('id', step_id, 'state', state, 'result', result,
        'description', result_description, 'error_class', error_class, 'error_message', error_message)
        order by position) as steps
      from steps where p.step_count > 0 and run_id = p.id
    ) steps on true
    order by p.id desc`
}
