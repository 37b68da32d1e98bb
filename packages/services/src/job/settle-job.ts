import type { TransactionSql } from '@workly/db'
import type { Services } from '../context.ts'
import { claimJobs } from '../schedule/claim-jobs.ts'
import { dueTimes } from '../schedule/due-times.ts'
import { compileStored } from '../schedule/stored-schedule.ts'
import type { JobRow } from './job-row.ts'
import { stepCountOf } from './stored-request.ts'

/**
 * Settles every time of a locked job up to `now` under its present settings, as the tick would: what every write to a
 * job does before it applies (spec section 5, "Edits").
 * @returns the row as it stands afterwards
 */
export async function settleJob(
  sql: TransactionSql,
  services: Services,
  row: JobRow,
  now: Date,
): Promise<JobRow> {
  if (row.next_run_at === null || row.next_run_at > now) return row
  const due = { ...row, next_run_at: row.next_run_at, step_count: stepCountOf(row.request) }
  await claimJobs(sql, services, [due], now)
  const { next } = dueTimes(compileStored(row), row.next_run_at.getTime(), now.getTime())
  return {
    ...row,
    next_run_at: next === null ? null : new Date(next),
    state: next === null ? 'completed' : row.state,
  }
}
