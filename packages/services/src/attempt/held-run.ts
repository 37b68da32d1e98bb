import type { RetrySettings } from '@workly/core'
import type { Sql, TransactionSql } from '@workly/db'
import type { ResponseMode } from '../job/stored-request.ts'

/** The step that a pipeline's run is at. */
export interface HeldStep {
  id: string
  /** From 0. */
  position: number
  isLast: boolean
  /** Retry settings of its own, if its job still has a step of that id. */
  retry: Partial<RetrySettings> | null
}

/** A run whose attempt is open and held, with the retry settings that are in force for it now. */
export interface HeldRun extends RetrySettings {
  run_id: string
  job_id: string
  project_id: string
  organization_id: string
  attempt_id: string
  fence: number
  scheduled_for: Date
  started_at: Date
  attempts_counted: number
  /** From the scheduled time to the start, where this is the run's first attempt. */
  start_delay_ms: number | null
  /** How its request is done. */
  response: ResponseMode
  /** Null where it is no pipeline. */
  step: HeldStep | null
}

/**
 * Columns of a HeldRun but its `start_delay_ms`, its retry settings still the job's, over `attempts a` and its `runs r`,
 * `jobs j` and `request_versions v`. What is asked of pipelines stands in one column, which costs other runs nothing.
 */
export const heldColumns = (sql: Sql | TransactionSql) => sql`
  r.id as run_id, r.job_id, r.project_id, r.organization_id, r.scheduled_for, r.started_at, r.attempts_counted,
  a.id as attempt_id, a.fence, j.max_attempts, j.min_backoff_seconds, j.max_backoff_seconds, j.backoff_multiplier,
  j.retry_on_4xx,
  case when r.step_count > 0 then v.request->'steps'->r.current_step else v.request end->'response' as response,
  case when r.step_count > 0 then jsonb_build_object(
    'id', a.step_id, 'position', r.current_step, 'isLast', r.current_step = r.step_count - 1,
    'retry', (
      select step->'retry' from request_versions present
      cross join lateral jsonb_array_elements(present.request->'steps') as steps(step)
      where present.id = j.request_version_id and step->>'id' = a.step_id)
  ) end as step`

/** The job's present retry settings, a step's own before them (spec section 5). */
export function withStepRetry<Run extends HeldRun>(run: Run): Run {
  return run.step?.retry ? { ...run, ...run.step.retry } : run
}
