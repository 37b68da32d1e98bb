import { ERROR_CODES, type FieldIssue, WorklyError } from '@workly/core'

/** An RFC 9457 problem document, as every error is answered. */
export interface Problem {
  type: string
  title: string
  status: number
  code: string
  detail: string
  errors: FieldIssue[]
  request_id: string
}

/** More issues than this help nobody; the rest is counted in `detail`. */
const MAX_ISSUES = 100
const MAX_DETAIL = 2_000

/** The problem document of an error. It holds nothing but what the error says in public. */
export function problemOf(error: WorklyError, requestId: string, publicUrl: string): Problem {
  const { status, title } = ERROR_CODES[error.code]
  return {
    type: `${publicUrl}/docs/errors#${error.code}`,
    title,
    status,
    code: error.code,
    detail: detailOf(error),
    errors: error.issues
      .slice(0, MAX_ISSUES)
      .map(({ field, message }) => ({ field: cut(field, 200), message })),
    request_id: requestId,
  }
}

function detailOf({ message, issues }: WorklyError): string {
  const more = issues.length - MAX_ISSUES
  return more > 0 ? `${cut(message, MAX_DETAIL)} And ${more} more.` : cut(message, MAX_DETAIL)
}

function cut(text: string, max: number): string {
  return text.length <= max ? text : `${text.slice(0, max - 1).toWellFormed()}…`
}

/** Header fields that belong to an error: how to sign in (RFC 6750 section 3), when to come back. */
export function problemHeaders(error: WorklyError): Record<string, string> {
  const headers: Record<string, string> = { 'Content-Type': 'application/problem+json' }
  if (error.code === 'unauthorized') headers['WWW-Authenticate'] = 'Bearer realm="Workly"'
  if (error.code === 'forbidden')
    headers['WWW-Authenticate'] = 'Bearer realm="Workly", error="insufficient_scope"'
  const wait = error.retryAfterSeconds ?? (error.code === 'unavailable' ? 5 : undefined)
  if (wait !== undefined) headers['Retry-After'] = String(Math.max(1, Math.ceil(wait)))
  return headers
}

/** Codes of connections that failed: of Node's sockets, postgres.js, and SQLSTATE classes 08, 53 and 57P. */
const AWAY =
  /^(?:ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENOTFOUND|EAI_AGAIN|CONNECT_TIMEOUT|CONNECTION_\w+|08\w{3}|53\w{3}|57P\w{2}|P1001|P1002|P1008|P1017|P2024)$/

/** SQLSTATE of a deadlock and of a serialization failure, which have been tried again by then. */
const ROLLED_BACK = /^40(?:P01|001)$/

/** Any thrown thing as an error of the list: the database away, or a change that it has rolled back again and again, is 503, whatever else was not foreseen 500. */
export function asWorklyError(thrown: unknown): WorklyError {
  if (thrown instanceof WorklyError) return thrown
  for (let cause = thrown, depth = 0; cause instanceof Error && depth < 5; cause = cause.cause, depth++) {
    if ('code' in cause && ROLLED_BACK.test(String(cause.code))) {
      return new WorklyError('unavailable', 'Others were changing the same just now. Try again shortly.', {
        cause: thrown,
      })
    }
    if ('code' in cause && AWAY.test(String(cause.code))) {
      return new WorklyError('unavailable', 'Workly cannot reach its database. Try again shortly.', {
        cause: thrown,
      })
    }
  }
  return new WorklyError(
    'internal',
    'Something went wrong on our side. Tell us the request_id if it goes on.',
    {
      cause: thrown,
    },
  )
}
