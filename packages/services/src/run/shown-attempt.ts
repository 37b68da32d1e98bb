import type { Attempt } from '@workly/core'
import { wireInstant, wireInstantOrNull } from '../wire-instant.ts'

/** An attempt as its row holds it, or as a test call makes it. */
export interface AttemptRow {
  id: string
  number: number
  step_id: string
  state: Attempt['state']
  started_at: Date
  finished_at: Date | null
  dns_ms: number | null
  connect_ms: number | null
  tls_ms: number | null
  first_byte_ms: number | null
  total_ms: number | null
  response_status: number | null
  response_headers: Record<string, string> | null
  response_body: Uint8Array | null
  response_truncated: boolean
  error_class: string | null
  error_message: string | null
  callback_deadline: Date | null
  callback_received_at: Date | null
  callback_result: string | null
  callback_description: string | null
  next_attempt_at: Date | null
  next_attempt_reason: string | null
  late_result: Record<string, unknown> | null
  exit_code: number | null
  log: string | null
  log_truncated: boolean
}

/** Text where the bytes are UTF-8, cut ends of a truncated body aside; base64 otherwise. */
function shownBody(
  bytes: Uint8Array,
  truncated: boolean,
): { body: string; body_encoding: 'utf8' | 'base64' } {
  try {
    const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
    return { body: decoder.decode(bytes, { stream: truncated }), body_encoding: 'utf8' }
  } catch {
    return { body: Buffer.from(bytes).toString('base64'), body_encoding: 'base64' }
  }
}

function shownCallback(row: AttemptRow): Attempt['callback'] {
  if (row.callback_deadline === null && row.callback_received_at === null) return null
  return {
    deadline: wireInstantOrNull(row.callback_deadline),
    received_at: wireInstantOrNull(row.callback_received_at),
    result: row.callback_result,
    description: row.callback_description,
  }
}

/** Null of a call, and of a container of which nothing is known yet. */
function shownContainer({ exit_code, log, log_truncated }: AttemptRow): Attempt['container'] {
  return exit_code === null && log === null ? null : { exit_code, log, log_truncated }
}

/** An attempt as answers show it. */
export function shownAttempt(row: AttemptRow): Attempt {
  return {
    id: row.id,
    number: row.number,
    step: row.step_id || null,
    state: row.state,
    started_at: wireInstant(row.started_at),
    finished_at: wireInstantOrNull(row.finished_at),
    timings: {
      dns_ms: row.dns_ms,
      connect_ms: row.connect_ms,
      tls_ms: row.tls_ms,
      first_byte_ms: row.first_byte_ms,
      total_ms: row.total_ms,
    },
    response:
      row.response_status === null
        ? null
        : {
            status: row.response_status,
            headers: row.response_headers ?? {},
            ...shownBody(row.response_body ?? new Uint8Array(), row.response_truncated),
            truncated: row.response_truncated,
          },
    container: shownContainer(row),
    error: row.error_class ? { class: row.error_class, message: row.error_message ?? '' } : null,
    callback: shownCallback(row),
    next_attempt_at: wireInstantOrNull(row.next_attempt_at),
    next_attempt_reason: row.next_attempt_reason,
    late_result: row.late_result ?? null,
  }
}
