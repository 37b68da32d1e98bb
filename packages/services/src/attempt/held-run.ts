import type { RetrySettings } from '@workly/core'
import type { Sql, TransactionSql } from '@workly/db'
import type { ResponseMode } from '../job/stored-request.ts'

/** A run whose attempt is open and held, with the retry settings its job has now. */
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
  /** Steps of a pipeline; 0 otherwise. */
  step_count: number
  /** The step it is at, from 0. */
  current_step: number
  /** Null where it is no pipeline. */
  step_id: string | null
}

/** Columns of a HeldRun. */
export type HeldRow = HeldRun & {
  /** The step's own retry settings, if its job still has a step of that id. */
  own_retry: Partial<RetrySettings> | null
}

/**
 * Columns of a HeldRow but its `start_delay_ms`, over `attempts a` and its `runs r`, `jobs j` and `request_versions v`.
 * What is asked of pipelines costs nothing for other runs.
 */
export const heldColumns = (sql: Sql | TransactionSql) => sql`
  r.id as run_id, r.job_id, r.project_id, r.organization_id, r.scheduled_for, r.started_at, r.attempts_counted,
  r.step_count, r.current_step, nullif(a.step_id, '') as step_id, a.id as attempt_id, a.fence,
  j.max_attempts, j.min_backoff_seconds, j.max_backoff_seconds, j.backoff_multiplier, j.retry_on_4xx,
  case when r.step_count > 0 then v.request->'steps'->r.current_step else v.request end->'response' as response,
  case when r.step_count > 0 then (
    select step->'retry' from request_versions present
    cross join lateral jsonb_array_elements(present.request->'steps') as steps(step)
    where present.id = j.request_version_id and step->>'id' = a.step_id
  ) end as own_retry`

/** The retry settings in force: the job's present ones, a step's own before them (spec section 5). */
export function heldRun({ own_retry: ownRetry, ...run }: HeldRow): HeldRun {
  return { ...run, ...ownRetry }
}
