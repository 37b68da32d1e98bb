import { checkTargetHeaders, type FieldIssue, type JobPut, parseTargetUrl, SECRET_MASK } from '@workly/core'
import type { Services } from '../context.ts'
import type { LimitDefaults } from '../limits.ts'
import type { StoredHttpRequest } from './stored-request.ts'

/** The fields of a job, or of a test call, that say what is sent. */
export type RequestFields = Pick<
  JobPut,
  'url' | 'method' | 'headers' | 'payload' | 'body' | 'content_type' | 'response' | 'timeout_seconds'
>

/** Headers or variables as they were sent: plain, or a secret (the mask stands for the stored one). */
export type DraftValues = Record<string, string | { secret: string }>

/** An HTTP request as it was sent, secrets not yet stored. */
export interface DraftHttpRequest extends Omit<StoredHttpRequest, 'headers'> {
  headers: DraftValues
}

function readBody(
  input: RequestFields,
  limits: LimitDefaults,
  issues: FieldIssue[],
): Pick<StoredHttpRequest, 'payload' | 'body' | 'content_type'> {
  const hasPayload = input.payload !== undefined
  const hasBody = input.body !== undefined && input.body !== null
  if (hasPayload && hasBody) issues.push({ field: 'body', message: 'Give payload or body, not both.' })
  if (
    hasPayload &&
    input.content_type &&
    !/^application\/([a-z0-9.+-]+\+)?json\b/i.test(input.content_type)
  ) {
    issues.push({
      field: 'content_type',
      message: 'A payload is sent as JSON; give body for another content type.',
    })
  }
  const payload = hasPayload ? JSON.stringify(input.payload) : undefined
  const body = hasBody ? (input.body ?? undefined) : undefined
  if (body !== undefined && (body.includes('\u0000') || !body.isWellFormed())) {
    issues.push({ field: 'body', message: 'may not hold NUL or half of a surrogate pair' })
  }
  const bytes = Buffer.byteLength(payload ?? body ?? '')
  if (bytes > limits.target_body_bytes) {
    const field = hasPayload ? 'payload' : 'body'
    issues.push({ field, message: `It has ${bytes} bytes; at most ${limits.target_body_bytes} are allowed.` })
  }
  const headerGiven = Object.keys(input.headers ?? {}).some(name => name.toLowerCase() === 'content-type')
  if (input.content_type && headerGiven) {
    issues.push({ field: 'content_type', message: 'Give content_type or the header Content-Type, not both.' })
  }
  if (input.content_type && /[^\t\x20-\x7e]/.test(input.content_type)) {
    issues.push({ field: 'content_type', message: 'may only hold printable ASCII' })
  }
  return {
    ...(payload !== undefined && { payload }),
    ...(body !== undefined && { body }),
    ...(input.content_type && { content_type: input.content_type }),
  }
}

/** Checks what an HTTP request says and fills in its defaults, adding what is wrong with it to `issues`. */
export function readRequest(
  input: RequestFields,
  defaults: { timeout_seconds?: number | null | undefined },
  services: Services,
  limits: LimitDefaults,
  issues: FieldIssue[],
): DraftHttpRequest {
  const url = input.url ?? ''
  if (url === '')
    issues.push({
      field: 'url',
      message: 'is required: the address to call; a job may have an image or steps instead',
    })
  else {
    const parsed = parseTargetUrl(url, { allowHttp: services.allowHttp })
    if (!parsed.ok) issues.push({ field: 'url', message: parsed.message })
  }
  const headers = input.headers ?? {}
  const plain = Object.fromEntries(
    Object.entries(headers).map(([k, v]) => [k, typeof v === 'string' ? v : v.secret]),
  )
  // The mask is not Latin-1, and stands for a value that was checked when it was stored.
  for (const [name, value] of Object.entries(headers))
    if (typeof value !== 'string' && isMask(value.secret)) plain[name] = ''
  issues.push(
    ...checkTargetHeaders(plain, {
      maxHeaders: limits.target_headers,
      maxBytes: limits.target_header_bytes,
    }),
  )
  const method = input.method ?? 'POST'
  const content = readBody(input, limits, issues)
  if (
    (method === 'GET' || method === 'HEAD') &&
    (content.payload !== undefined || content.body !== undefined)
  ) {
    const field = content.payload !== undefined ? 'payload' : 'body'
    issues.push({ field, message: `A ${method} request has no body; use another method.` })
  }
  return {
    kind: 'http',
    url,
    method,
    headers,
    ...content,
    response: input.response ?? 'sync',
    timeout_seconds: input.timeout_seconds ?? defaults.timeout_seconds ?? 30,
  }
}

/** Whether a secret's text is the mask, which stands for the value stored under the same name. */
export function isMask(secret: string): boolean {
  return secret === SECRET_MASK
}
