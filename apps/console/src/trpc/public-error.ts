import { TRPCError } from '@trpc/server'
import { ERROR_CODES, type ErrorCode, type FieldIssue, fieldPath, invalid, WorklyError } from '@workly/core'
import { ZodError } from 'zod'

/** What a caller of the console's procedures is told about an error: as over `/v1`, nothing from inside. */
export interface PublicError {
  code: ErrorCode
  detail: string
  issues: FieldIssue[]
  /** To be named when asking for help; the log has it too. */
  request_id: string
}

const CODES_BY_STATUS: Record<(typeof ERROR_CODES)[ErrorCode]['status'], TRPCError['code']> = {
  400: 'BAD_REQUEST',
  401: 'UNAUTHORIZED',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  405: 'METHOD_NOT_SUPPORTED',
  409: 'CONFLICT',
  412: 'PRECONDITION_FAILED',
  413: 'PAYLOAD_TOO_LARGE',
  422: 'UNPROCESSABLE_CONTENT',
  429: 'TOO_MANY_REQUESTS',
  500: 'INTERNAL_SERVER_ERROR',
  503: 'SERVICE_UNAVAILABLE',
}

/**
 * The bundler may hold the class more than once, so `instanceof` alone would miss one; the name and a known code tell
 * it from any other error.
 */
export function isWorklyError(error: unknown): error is WorklyError {
  if (error instanceof WorklyError) return true
  return (
    error instanceof Error &&
    error.name === 'WorklyError' &&
    'code' in error &&
    typeof error.code === 'string' &&
    Object.hasOwn(ERROR_CODES, error.code)
  )
}

const INTERNAL = 'Something went wrong on our side. Try again; if it stays so, tell us the request id.'

/** The error that may be shown for one that was thrown; `isExpected` is false for what only a log should explain. */
export function publicError(thrown: TRPCError): { error: WorklyError; isExpected: boolean } {
  const { cause } = thrown
  if (isWorklyError(cause)) return { error: cause, isExpected: true }
  if (cause instanceof ZodError) {
    const issues = cause.issues.map(issue => ({ field: fieldPath(issue.path), message: issue.message }))
    return { error: invalid(issues), isExpected: true }
  }
  switch (thrown.code) {
    case 'NOT_FOUND':
      return { error: new WorklyError('not_found', 'The console does not know this call.'), isExpected: true }
    case 'METHOD_NOT_SUPPORTED':
      return {
        error: new WorklyError('method_not_allowed', 'This call takes another method.'),
        isExpected: true,
      }
    case 'BAD_REQUEST':
    case 'PARSE_ERROR':
      return { error: new WorklyError('invalid_request', 'The call cannot be read.'), isExpected: true }
    case 'UNSUPPORTED_MEDIA_TYPE':
      return { error: new WorklyError('invalid_request', 'Calls are sent as JSON.'), isExpected: true }
    case 'PAYLOAD_TOO_LARGE':
      return { error: new WorklyError('payload_too_large', 'The call is too large.'), isExpected: true }
    default:
      return { error: new WorklyError('internal', INTERNAL, { cause: thrown }), isExpected: false }
  }
}

/** The same for tRPC, which wants its own class and names. */
export function asTRPCError(error: WorklyError): TRPCError {
  return new TRPCError({
    code: CODES_BY_STATUS[ERROR_CODES[error.code].status],
    message: error.message,
    cause: error,
  })
}
