import type { RunListItem } from '@workly/core'
import type { Sql, TransactionSql } from '@workly/db'
import { wireInstant, wireInstantOrNull } from '../wire-instant.ts'

/** A run as its row holds it, with its job's name. */
export interface RunRow {
  id: string
  job_id: string
  job_name: string
  state: RunListItem['state']
  skip_reason: RunListItem['skip_reason']
  trigger: RunListItem['trigger']
  scheduled_for: Date
  created_at: Date
  started_at: Date | null
  finished_at: Date | null
  next_attempt_at: Date | null
  /** Of all steps, in a pipeline. */
  attempts_made: number
  error_class: string | null
  error_message: string | null
  finished_out_of_time: boolean
}

/** Columns of a RunRow, over `runs r` and `jobs j`. */
export const runColumns = (sql: Sql | TransactionSql) => sql`
  r.id, r.job_id, j.name as job_name, r.state, r.skip_reason, r.trigger, r.scheduled_for, r.created_at, r.started_at,
  r.finished_at, r.next_attempt_at,
  case when r.step_count = 0 then r.attempts_made
    else (select sum(s.attempts_made)::int from steps s where s.run_id = r.id) end as attempts_made,
  r.error_class, r.error_message, r.finished_out_of_time`

const instant = wireInstantOrNull

/** A run as lists show it. The error is that of its latest failed attempt, and of a run that has failed. */
export function runListItem(row: RunRow): RunListItem {
  return {
    id: row.id,
    job: row.job_name,
    job_id: row.job_id,
    state: row.state,
    skip_reason: row.skip_reason,
    trigger: row.trigger,
    scheduled_for: wireInstant(row.scheduled_for),
    created_at: wireInstant(row.created_at),
    started_at: instant(row.started_at),
    finished_at: instant(row.finished_at),
    next_attempt_at: instant(row.next_attempt_at),
    attempts_made: row.attempts_made,
    error: row.error_class ? { class: row.error_class, message: row.error_message ?? '' } : null,
    finished_out_of_time: row.finished_out_of_time,
  }
}
