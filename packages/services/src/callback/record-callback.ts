import { type CallbackBody, formatInstant, isId, notFound } from '@workly/core'
import type { TransactionSql } from '@workly/db'
import { type HeldRun, heldColumns, withStepRetry } from '../attempt/held-run.ts'
import { maskText } from '../attempt/mask-secrets.ts'
import { conclude, type FinishedCall, withoutResponse } from '../attempt/outcome.ts'
import { SecretValues } from '../attempt/secret-values.ts'
import { settleOutcomes } from '../attempt/settle-outcomes.ts'
import { authorize } from '../authorize.ts'
import { type ProjectContext, readClock, type Services } from '../context.ts'
import { type StoredRequest, stepOf } from '../job/stored-request.ts'
import { startDelayMs } from '../metrics/start-delay.ts'
import { tokenMatches } from './callback-token.ts'

/** Who may report: whoever has the attempt's token, or an API key of its project with scope `run`. */
export type CallbackProof = { token: string } | { ctx: ProjectContext }

/** Results that fail the attempt, in any case (spec section 5); all others succeed it. */
const FAILING = new Set(['ERROR', 'TIMEOUT', 'CANCELLED'])

/** The attempt, and its run as it stands. */
interface AttemptRow extends HeldRun {
  number: number
  state: string
  error_class: string | null
  callback_received_at: Date | null
  run_state: string
  attempts_made: number
  is_current: boolean
  /** Whether it is of the step that the run is at; true where there are no steps. */
  is_of_current_step: boolean
  request: StoredRequest
  attempt_started_at: Date
  /** Of a pipeline's step; empty otherwise. */
  step_id: string
}

const missing = () => notFound('callback at this address')

/** @throws WorklyError `not_found` for a wrong token too, in the same time */
async function prove(services: Services, attemptId: string, proof: CallbackProof): Promise<void> {
  const { sql } = services
  const known = isId('attempt', attemptId)
  const [row] = await sql<{ token_hash: Uint8Array; organization_id: string; project_id: string }[]>`
    select t.token_hash, r.organization_id, r.project_id
    from callback_tokens t join attempts a on a.id = t.attempt_id join runs r on r.id = a.run_id
    where t.attempt_id = ${known ? attemptId : ''}`
  if ('token' in proof) {
    if (!tokenMatches(proof.token, row?.token_hash)) throw missing()
    return
  }
  authorize(proof.ctx, 'run')
  const { organizationId, projectId } = proof.ctx
  if (row?.organization_id !== organizationId || row.project_id !== projectId) throw missing()
}

async function lockAttempt(sql: TransactionSql, attemptId: string): Promise<AttemptRow> {
  const [job] = await sql`
    select id from jobs where deleted_at is null and id = (
      select r.job_id from attempts a join runs r on r.id = a.run_id where a.id = ${attemptId})
    for no key update`
  if (!job) throw missing()
  await sql`select id from runs where id = (select run_id from attempts where id = ${attemptId}) for no key update`
  const [row] = await sql<AttemptRow[]>`
    select ${heldColumns(sql)}, ${startDelayMs(sql)} as start_delay_ms, a.number, a.state, a.error_class, a.step_id,
      a.started_at as attempt_started_at,
      a.callback_received_at, r.state as run_state, r.attempts_made, v.request,
      coalesce(r.current_attempt_id = a.id, false) as is_current,
      r.step_count = 0 or v.request->'steps'->r.current_step->>'id' = a.step_id as is_of_current_step
    from attempts a join runs r on r.id = a.run_id join jobs j on j.id = r.job_id
    join request_versions v on v.id = r.request_version_id
    where a.id = ${attemptId}`
  if (!row) throw missing()
  return row
}

interface Report {
  result: string
  description: string | null
  fails: boolean
}

/** Of an attempt that is done when its container exits, a report is shown with it, and decides nothing (spec section 3). */
function isDoneByExit({ request, step_id }: AttemptRow): boolean {
  const target = request.kind === 'pipeline' ? stepOf(request, step_id) : request
  return target?.kind === 'image' && target.max_wait_seconds === null
}

/** How long a container has run by now, in milliseconds; null of a call, which was measured with its response. */
function containerMs(row: AttemptRow, now: Date): number | null {
  const target = row.request.kind === 'pipeline' ? stepOf(row.request, row.step_id) : row.request
  return target?.kind === 'image' ? now.getTime() - row.attempt_started_at.getTime() : null
}

/** Ends an open attempt by what was reported: the run ends, or its next attempt or step is due. */
async function decideBy(sql: TransactionSql, services: Services, row: AttemptRow, report: Report, now: Date) {
  const message = report.fails
    ? `The callback said ${report.result}${report.description ? `: ${report.description}` : '.'}`
    : null
  const result = withoutResponse(report.fails ? 'callback_failed' : 'ok', message)
  const total = containerMs(row, now)
  const call: FinishedCall = {
    attemptId: row.attempt_id,
    runId: row.run_id,
    fence: row.fence,
    finishedAt: now,
    result: { ...result, timings: { ...result.timings, total } },
  }
  // The delay of its start was counted with its response, a container's with its beginning.
  const delay = row.state === 'waiting' ? null : row.start_delay_ms
  const outcome = conclude(call, { ...withStepRetry(row), start_delay_ms: delay }, now)
  await sql`
    update attempts set state = ${report.fails ? 'failed' : 'succeeded'}, finished_at = ${now},
      total_ms = coalesce(${total}, total_ms), error_class = ${report.fails ? 'callback_failed' : null}, error_message = ${message},
      callback_received_at = ${now}, callback_result = ${report.result}, callback_description = ${report.description},
      next_attempt_at = ${outcome.nextAttemptAt}, next_attempt_reason = ${outcome.nextReason}
    where id = ${row.attempt_id}`
  await settleOutcomes(sql, services, [outcome], now)
}

/** Keeps a report that decides nothing while its attempt is open. */
async function keepBeside(sql: TransactionSql, row: AttemptRow, report: Report, now: Date): Promise<void> {
  await sql`
    update attempts set callback_received_at = ${now}, callback_result = ${report.result},
      callback_description = ${report.description}
    where id = ${row.attempt_id}`
}

/** Keeps a report for an attempt that is over: it changes no state, touches no newer attempt, resumes no pipeline. */
async function keepLate(sql: TransactionSql, row: AttemptRow, report: Report, now: Date): Promise<void> {
  const late = {
    result: report.result,
    description: report.description,
    received_at: formatInstant(now.getTime()),
  }
  await sql`
    update attempts set callback_received_at = ${now}, callback_result = ${report.result},
      callback_description = ${report.description}, late_result = ${sql.json(late)}
    where id = ${row.attempt_id}`
  // Only of a wait that had run out, and only while nothing came after it (spec section 5, callbacks).
  if (
    row.error_class === 'callback_timeout' &&
    row.run_state === 'failed' &&
    row.is_of_current_step &&
    row.number === row.attempts_made
  ) {
    await sql`update runs set finished_out_of_time = true, late_result = ${sql.json(late)} where id = ${row.run_id}`
  }
}

/**
 * Takes a callback (spec section 5). One for an open attempt decides it, also when it comes before the response of the
 * call that caused it, unless the attempt is a container's that is done when it exits; a repeat changes nothing; one for an attempt that is over is kept as late.
 * @throws WorklyError `not_found`: no such attempt, a wrong token, or its job is deleted; `forbidden`; `invalid_request`
 */
export async function recordCallback(
  services: Services,
  attemptId: string,
  proof: CallbackProof,
  body: CallbackBody,
): Promise<void> {
  await prove(services, attemptId, proof)
  await services.sql.begin(async sql => {
    const row = await lockAttempt(sql, attemptId)
    if (row.callback_received_at !== null) return
    const now = await readClock(services, sql)
    const secrets = [...(await new SecretValues(services).of([row.request], sql)).values()]
    const report: Report = {
      result: maskText(body.result, secrets),
      description: body.description ? maskText(body.description, secrets) : null,
      fails: FAILING.has(body.result.trim().toUpperCase()),
    }
    const isOpen = row.is_current && (row.state === 'running' || row.state === 'waiting')
    if (isOpen && isDoneByExit(row)) await keepBeside(sql, row, report, now)
    else if (isOpen) await decideBy(sql, services, row, report, now)
    else await keepLate(sql, row, report, now)
  })
}
