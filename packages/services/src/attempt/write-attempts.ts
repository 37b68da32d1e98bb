import type { TransactionSql } from '@workly/db'
import type { Outcome } from './outcome.ts'

/**
 * Writes ended attempts in one statement; the records travel as one JSON text, bodies in base64. That their ids are named
 * besides keeps the statement, whose plan is kept, from being planned as a walk through all attempts there are.
 */
export async function writeAttempts(sql: TransactionSql, outcomes: Outcome[]): Promise<void> {
  const records = outcomes.map(({ call, waitsUntil, nextAttemptAt, nextReason }) => {
    const { result } = call
    const failed = result.class !== 'ok'
    return {
      id: call.attemptId,
      state: waitsUntil ? 'waiting' : failed ? 'failed' : 'succeeded',
      finished_at: waitsUntil ? null : call.finishedAt,
      waits_until: waitsUntil,
      dns_ms: result.timings.dns,
      connect_ms: result.timings.connect,
      tls_ms: result.timings.tls,
      first_byte_ms: result.timings.firstByte,
      total_ms: result.timings.total,
      status: result.status,
      headers: result.headers,
      body: result.body && Buffer.from(result.body).toString('base64'),
      truncated: result.bodyTruncated,
      class: failed ? result.class : null,
      message: result.message,
      next_at: nextAttemptAt,
      next_reason: nextReason,
    }
  })
  await sql`
    update attempts a set state = n.state, finished_at = n.finished_at, dns_ms = n.dns_ms, connect_ms = n.connect_ms,
      tls_ms = n.tls_ms, first_byte_ms = n.first_byte_ms, total_ms = n.total_ms, response_status = n.status,
      response_headers = n.headers, response_body = decode(n.body, 'base64'), response_truncated = n.truncated,
      error_class = n.class, error_message = n.message, next_attempt_at = n.next_at,
      next_attempt_reason = n.next_reason, callback_deadline = n.waits_until,
      worker_id = case when n.waits_until is null then a.worker_id end
    from json_to_recordset(${JSON.stringify(records)}::text::json) as n(id text, state text, finished_at timestamptz,
      waits_until timestamptz, dns_ms real, connect_ms real, tls_ms real, first_byte_ms real, total_ms real, status smallint, headers jsonb,
      body text, truncated boolean, class text, message text, next_at timestamptz, next_reason text)
    where a.id = n.id and a.id = any(${records.map(r => r.id)})`
}
