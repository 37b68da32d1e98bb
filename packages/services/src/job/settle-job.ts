import type { TransactionSql } from '@workly/db'
import type { Services } from '../context.ts'
import { claimJobs } from '../schedule/claim-jobs.ts'
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
  const due = {
    ...row,
    next_run_at: row.next_run_at,
    step_count: stepCountOf(row.request),
    is_plain_call: false,
  }
  const { next } = await claimJobs(sql, services, [due], now)
  const nextRunAt = next.get(row.id)
  // Its schedule cannot be read: nothing can be settled, and a write may be what mends it.
  if (nextRunAt === undefined) return row
  return { ...row, next_run_at: nextRunAt, state: nextRunAt === null ? 'completed' : row.state }
}
