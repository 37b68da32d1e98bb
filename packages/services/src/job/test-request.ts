import { type Attempt, type FieldIssue, invalid, LONGEST_TEST_SECONDS, type TestCall } from '@workly/core'
import type { BegunAttempt } from '../attempt/begin-attempts.ts'
import { outgoingCall } from '../attempt/outgoing-call.ts'
import { SecretValues } from '../attempt/secret-values.ts'
import { type RawResult, type ScopedCall, scopedCall, storedResult } from '../attempt/stored-result.ts'
import { authorize } from '../authorize.ts'
import { freshId, type ProjectContext, readClock } from '../context.ts'
import { shownAttempt } from '../run/shown-attempt.ts'
import { liveSigningSecrets } from '../signing-secret/live-signing-secrets.ts'
import { loadJob } from './job-row.ts'
import { projectRules } from './project-rules.ts'
import { readRequest } from './read-request.ts'
import { stepOf } from './stored-request.ts'
import { referToSecrets } from './stored-secrets.ts'
import { withinTestCalls } from './test-calls-in-flight.ts'

/** Makes a call through the network guard, within the project's own connections. */
export type MakeCall = (call: ScopedCall) => Promise<RawResult>

async function readCall(ctx: ProjectContext, input: TestCall, now: Date) {
  const { sql } = ctx.services
  const { limits, defaults } = await projectRules(sql, ctx)
  const issues: FieldIssue[] = []
  const timeout = Math.min(defaults.timeout_seconds ?? LONGEST_TEST_SECONDS, LONGEST_TEST_SECONDS)
  const { job, step, image: _, ...fields } = input
  const draft = readRequest(fields, { timeout_seconds: timeout }, ctx.services, limits, issues)
  const stored = job ? await loadJob(sql, ctx, job) : undefined
  const target = step ? stepOf(stored?.request, step) : stored?.request
  if (step && !target) {
    issues.push({
      field: 'step',
      message: 'The job has no such step; send an id of one of its steps, and job.',
    })
  }
  const { request, added } = await sql.begin(tx =>
    referToSecrets(tx, ctx, draft, target, limits, now, issues),
  )
  if (request.response !== 'sync') {
    issues.push({ field: 'response', message: 'A test call is over with its response; send "sync".' })
  }
  if (issues.length > 0) throw invalid(issues)
  const values = new Map(await new SecretValues(ctx.services).of([request]))
  for (const secret of added) values.set(secret.id, secret.value)
  return { request, values, job: stored, step: step ?? null, limits }
}

/**
 * One real call with the given request settings, signed as a run's would be; nothing is saved (spec section 8). Masks
 * stand for the stored secrets of `job`, or of its `step`, under the same rule as in a write.
 * @returns the attempt
 * @throws WorklyError `invalid_request`, `not_found` for an unknown job, `rate_limited` for one test call too many at once,
 * `forbidden`
 */
export async function testRequest(
  ctx: ProjectContext,
  input: TestCall,
  makeCall: MakeCall,
): Promise<Attempt> {
  authorize(ctx, 'write')
  const { services } = ctx
  const now = await readClock(services, services.sql)
  const { request, values, job, step, limits } = await readCall(ctx, input, now)
  const signing = await liveSigningSecrets(services, services.sql, [ctx.projectId], now)
  const attempt: BegunAttempt = {
    attempt_id: freshId('attempt', now),
    fence: 0,
    number: 1,
    run_id: freshId('run', now),
    step_id: step,
    task_number: 0,
    organization_id: ctx.organizationId,
    project_id: ctx.projectId,
    job_id: job?.id ?? freshId('job', now),
    job_name: job?.name ?? 'test',
    scheduled_for: now,
    request,
  }
  const call = outgoingCall(attempt, {
    signingSecrets: signing.get(ctx.projectId) ?? [],
    secretValues: values,
    userAgent: null,
    timestamp: Math.floor(now.getTime() / 1000),
    callbackUrl: null,
  })
  const answer = await withinTestCalls(ctx.projectId, limits.test_calls_in_flight, () =>
    makeCall(scopedCall(call, ctx.projectId)),
  )
  const result = storedResult(answer, call.secrets)
  return shownAttempt({
    id: attempt.attempt_id,
    number: 1,
    step_id: step ?? '',
    state: result.class === 'ok' ? 'succeeded' : 'failed',
    started_at: now,
    finished_at: new Date(now.getTime() + Math.round(result.timings.total ?? 0)),
    dns_ms: result.timings.dns,
    connect_ms: result.timings.connect,
    tls_ms: result.timings.tls,
    first_byte_ms: result.timings.firstByte,
    total_ms: result.timings.total,
    response_status: result.status,
    response_headers: result.headers,
    response_body: result.body,
    response_truncated: result.bodyTruncated,
    error_class: result.class === 'ok' ? null : result.class,
    error_message: result.message,
    callback_deadline: null,
    callback_received_at: null,
    callback_result: null,
    callback_description: null,
    next_attempt_at: null,
    next_attempt_reason: null,
    late_result: null,
    exit_code: null,
    log: null,
    log_truncated: false,
  })
}
