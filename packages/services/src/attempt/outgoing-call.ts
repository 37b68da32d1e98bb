import { formatInstant, signaturesFor } from '@workly/core'
import { isStoredSecret, type StoredHttpRequest } from '../job/stored-request.ts'
import type { BegunAttempt } from './begin-attempts.ts'

/** A call to a target, complete but for its connection. */
export interface OutgoingCall {
  url: string
  method: string
  headers: Record<string, string>
  body: Uint8Array | null
  timeoutMs: number
  /** Values that may not show in anything kept of the answer. */
  secrets: string[]
}

/** Everything the signature and the headers are made from that is not in the attempt itself. */
export interface CallKeys {
  /** The project's live signing secrets, newest first. */
  signingSecrets: string[]
  /** Decrypted secret headers by the id of their value. */
  secretValues: ReadonlyMap<string, string>
  /** `Workly/<version>`; null where whoever makes the call says it. */
  userAgent: string | null
  /** Unix seconds by the database's clock. */
  timestamp: number
  /** Where the target of a callback request reports that it is done; null where nothing can be waited for. */
  callbackUrl: string | null
}

function bodyOf(request: StoredHttpRequest): { bytes: Uint8Array | null; contentType: string | null } {
  const text = request.payload ?? request.body
  if (text === undefined) return { bytes: null, contentType: request.content_type ?? null }
  const contentType =
    request.content_type ?? (request.payload === undefined ? 'text/plain; charset=utf-8' : 'application/json')
  return { bytes: Buffer.from(text, 'utf8'), contentType }
}

function callbackHeader(request: StoredHttpRequest, url: string | null): Record<string, string> {
  if (request.response === 'sync') return {}
  if (url === null) throw new Error('there is no address that a callback could come to')
  return { callback: url }
}

/**
 * Headers that name the run, and the signatures over `id.timestamp.body` by each live secret (spec section 6). A step of
 * a pipeline has a `webhook-id` and a signature of its own, so that a target which drops repeats does not drop it;
 * `Workly-Signature` always stands for `Workly-Run-Id`.
 */
function ourHeaders(attempt: BegunAttempt, keys: CallKeys, body: Uint8Array): Record<string, string> {
  const { step_id: step, run_id: runId } = attempt
  const scheduledFor = formatInstant(attempt.scheduled_for.getTime())
  const timestamp = String(keys.timestamp)
  const signed = (id: string) =>
    signaturesFor({ id, timestamp: keys.timestamp, body, secrets: keys.signingSecrets })
  const signature = signed(runId)
  const webhookId = step === null ? runId : `${runId}_${step}`
  return {
    'Workly-Run-Id': runId,
    'Workly-Schedule': attempt.job_name,
    ...(step !== null && { 'Workly-Step': step }),
    'Workly-Scheduled-For': scheduledFor,
    'Workly-Attempt': String(attempt.number),
    'Workly-Timestamp': timestamp,
    'Workly-Signature': signature,
    'X-Scheduler-JobId': step === null ? attempt.job_id : `${attempt.job_id}/${step}`,
    'X-Scheduler-ScheduleTime': scheduledFor,
    'webhook-id': webhookId,
    'webhook-timestamp': timestamp,
    'webhook-signature': step === null ? signature : signed(webhookId),
  }
}

/** The request that a target receives for an attempt (spec section 6): the customer's headers and ours. */
export function outgoingCall(attempt: BegunAttempt, keys: CallKeys): OutgoingCall {
  const { request } = attempt
  if (request.kind !== 'http') throw new Error('an image is run in a container, not called.')
  const { bytes, contentType } = bodyOf(request)
  const headers: Record<string, string> = {}
  const secrets: string[] = []
  let agent = keys.userAgent
  let customContentType = false
  for (const [name, value] of Object.entries(request.headers)) {
    const plain = isStoredSecret(value) ? keys.secretValues.get(value.secret_value) : value
    if (plain === undefined)
      throw new Error(`the secret value of the header ${name} cannot be read. Set it again.`)
    if (isStoredSecret(value)) secrets.push(plain)
    if (name.toLowerCase() === 'user-agent') agent = plain
    else headers[name] = plain
    if (name.toLowerCase() === 'content-type') customContentType = true
  }
  // Whoever reads an attempt could otherwise report for the target that echoed its callback's address.
  if (request.response !== 'sync' && keys.callbackUrl !== null)
    secrets.push(keys.callbackUrl.slice(keys.callbackUrl.lastIndexOf('/') + 1))
  if (contentType !== null && !customContentType) headers['Content-Type'] = contentType
  return {
    url: request.url,
    method: request.method,
    headers: {
      ...headers,
      ...callbackHeader(request, keys.callbackUrl),
      ...(agent !== null && { 'User-Agent': agent }),
      ...ourHeaders(attempt, keys, bytes ?? new Uint8Array()),
    },
    body: bytes,
    timeoutMs: request.timeout_seconds * 1000,
    secrets,
  }
}
