import { type Attempt, isId, notFound, type Run } from '@workly/core'
import type { Sql, TransactionSql } from '@workly/db'
import { authorize } from '../authorize.ts'
import type { ProjectContext } from '../context.ts'
import { shownHeaders } from '../job/job-row.ts'
import type { StoredRequest } from '../job/stored-request.ts'
import { wireInstant, wireInstantOrNull } from '../wire-instant.ts'
import { type RunRow, runColumns, runListItem } from './run-row.ts'

interface FullRunRow extends RunRow {
  cancel_requested_at: Date | null
  late_result: Record<string, unknown> | null
  request: StoredRequest
}

interface AttemptRow {
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
  next_attempt_at: Date | null
  next_attempt_reason: string | null
  late_result: Record<string, unknown> | null
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

function shownAttempt(row: AttemptRow): Attempt {
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
    error: row.error_class ? { class: row.error_class, message: row.error_message ?? '' } : null,
    next_attempt_at: wireInstantOrNull(row.next_attempt_at),
    next_attempt_reason: row.next_attempt_reason,
    late_result: row.late_result ?? null,
  }
}

function shownRequest(request: StoredRequest): Run['request'] {
  const isJson = request.payload !== undefined
  return {
    kind: request.kind,
    url: request.url,
    method: request.method,
    headers: shownHeaders(request),
    body: request.payload ?? request.body ?? null,
    content_type: request.content_type ?? (isJson ? 'application/json' : null),
    response: request.response,
    timeout_seconds: request.timeout_seconds,
  }
}

/**
 * A run of the actor's project with its attempts and the request as it was or will be sent.
 * @throws WorklyError `not_found`
 */
export async function readRun(sql: Sql | TransactionSql, ctx: ProjectContext, id: string): Promise<Run> {
  const missing = () => notFound('run with this id in this project')
  if (!isId('run', id)) throw missing()
  const [row] = await sql<FullRunRow[]>`
    select ${runColumns(sql)}, r.cancel_requested_at, r.late_result, v.request
    from runs r join jobs j on j.id = r.job_id join request_versions v on v.id = r.request_version_id
    where r.id = ${id} and r.organization_id = ${ctx.organizationId} and r.project_id = ${ctx.projectId}
      and j.deleted_at is null`
  if (!row) throw missing()
  const attempts = await sql<AttemptRow[]>`
    select id, number, step_id, state, started_at, finished_at, dns_ms, connect_ms, tls_ms, first_byte_ms, total_ms,
      response_status, response_headers, response_body, response_truncated, error_class, error_message,
      next_attempt_at, next_attempt_reason, late_result
    from attempts where run_id = ${id} and organization_id = ${ctx.organizationId} order by started_at, number`
  return {
    ...runListItem(row),
    cancel_requested_at: wireInstantOrNull(row.cancel_requested_at),
    request: shownRequest(row.request),
    steps: [],
    attempts: attempts.map(shownAttempt),
    late_result: row.late_result ?? null,
  }
}

/** @throws WorklyError `not_found`, `forbidden` */
export async function getRun(ctx: ProjectContext, id: string): Promise<Run> {
  authorize(ctx, 'read')
  return readRun(ctx.services.sql, ctx, id)
}
