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
  await keepResponses(sql, calls)
}

/** The response that came after the callback that decided its attempt: shown with it, and no more. */
async function keepResponses(sql: TransactionSql, calls: FinishedCall[]): Promise<void> {
  const records = calls
    .filter(call => call.result.status !== null)
    .map(({ attemptId, fence, result }) => ({
      id: attemptId,
      fence,
      status: result.status,
      headers: result.headers,
      body: result.body && Buffer.from(result.body).toString('base64'),
      truncated: result.bodyTruncated,
      ...{ dns: result.timings.dns, connect: result.timings.connect, tls: result.timings.tls },
      ...{ first_byte: result.timings.firstByte, total: result.timings.total },
    }))
  if (records.length === 0) return
  await sql`
    update attempts a set response_status = n.status, response_headers = n.headers,
      response_body = decode(n.body, 'base64'), response_truncated = n.truncated, dns_ms = n.dns,
      connect_ms = n.connect, tls_ms = n.tls, first_byte_ms = n.first_byte, total_ms = n.total
    from json_to_recordset(${JSON.stringify(records)}::text::json) as n(id text, fence bigint, status smallint,
      headers jsonb, body text, truncated boolean, dns real, connect real, tls real, first_byte real, total real)
    where a.id = n.id and a.fence = n.fence and a.callback_received_at is not null and a.response_status is null
      and a.state in ('succeeded', 'failed')`
}
