import type { TransactionSql } from '@workly/db'
import type { FinishedCall } from './outcome.ts'

/**
 * Keeps refused results beside their attempts, so that nobody wonders what the target did answer. They change
 * nothing (spec section 5: "a refused result is kept on the lost attempt as late_result").
 */
export async function keepLateResults(sql: TransactionSql, calls: FinishedCall[]): Promise<void> {
  if (calls.length === 0) return
  const records = calls.map(call => ({
    id: call.attemptId,
    fence: call.fence,
    late: {
      class: call.result.class,
      status: call.result.status,
      message: call.result.message,
      finished_at: call.finishedAt,
    },
  }))
  await sql`
    update attempts a set late_result = n.late
    from json_to_recordset(${JSON.stringify(records)}::text::json) as n(id text, fence bigint, late jsonb)
    where a.id = n.id and a.fence = n.fence and a.state in ('lost', 'cancelled') and a.late_result is null`
}
