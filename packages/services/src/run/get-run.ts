import { isId, notFound, type Run } from '@workly/core'
import type { Sql, TransactionSql } from '@workly/db'
import { authorize } from '../authorize.ts'
import type { ProjectContext } from '../context.ts'
import { runRequest } from '../job/shown-request.ts'
import type { StoredRequest } from '../job/stored-request.ts'
import { wireInstantOrNull } from '../wire-instant.ts'
import { readSteps } from './read-steps.ts'
import { type RunRow, runColumns, runListItem } from './run-row.ts'
import { type AttemptRow, shownAttempt } from './shown-attempt.ts'

interface FullRunRow extends RunRow {
  cancel_requested_at: Date | null
  late_result: Record<string, unknown> | null
  request: StoredRequest
}

/**
 * A run of the actor's project with its steps, its attempts and the request as it was or will be sent.
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
  const steps = await readSteps(sql, id)
  const attempts = await sql<AttemptRow[]>`
    select id, number, step_id, state, started_at, finished_at, dns_ms, connect_ms, tls_ms, first_byte_ms, total_ms,
      response_status, response_headers, response_body, response_truncated, error_class, error_message,
      callback_deadline, callback_received_at, callback_result, callback_description, next_attempt_at,
      next_attempt_reason, late_result, exit_code, log, log_truncated
    from attempts where run_id = ${id} and organization_id = ${ctx.organizationId}
    order by started_at, array_position(${steps.map(step => step.id)}::text[], step_id), number`
  return {
    ...runListItem(row),
    cancel_requested_at: wireInstantOrNull(row.cancel_requested_at),
    request: runRequest(row.request),
    steps,
    attempts: attempts.map(shownAttempt),
    late_result: row.late_result ?? null,
  }
}

/**
 * Reads the run and its attempts as of one moment, so that a run which retention is just removing shows whole or not at
 * all.
 * @throws WorklyError `not_found`, `forbidden`
 */
export async function getRun(ctx: ProjectContext, id: string): Promise<Run> {
  authorize(ctx, 'read')
  return ctx.services.sql.begin('isolation level repeatable read read only', sql => readRun(sql, ctx, id))
}
