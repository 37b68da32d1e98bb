/** One thing wrong with one field of what was sent. `field` is a path such as `headers.X-A` or `steps[1].url`. */
export interface FieldIssue {
  field: string
  message: string
}

/**
 * Every error that a caller may see: its status over HTTP and its public title. The list is closed; docs/errors.md
 * explains each (spec section 8, RFC 9457).
 */
export const ERROR_CODES = {
  invalid_request: { status: 400, title: 'The request is not valid' },
  unauthorized: { status: 401, title: 'Sign in or send an API key' },
  forbidden: { status: 403, title: 'Not allowed' },
  not_found: { status: 404, title: 'Not found' },
  method_not_allowed: { status: 405, title: 'This address does not take that method' },
  conflict: { status: 409, title: 'That does not fit the present state' },
  run_not_finished: { status: 409, title: 'The run is still going' },
  run_finished: { status: 409, title: 'The run has already ended' },
  job_completed: { status: 409, title: 'The job has no times left' },
  limit_reached: { status: 409, title: 'A limit is reached' },
  idempotency_in_progress: { status: 409, title: 'The first request with this key is still going' },
  outcome_unknown: { status: 409, title: 'What became of the first request is not known' },
  precondition_failed: { status: 412, title: 'It has changed since you read it' },
  payload_too_large: { status: 413, title: 'The request is too large' },
  idempotency_mismatch: { status: 422, title: 'This key was used for another request' },
  rate_limited: { status: 429, title: 'Too many requests' },
  internal: { status: 500, title: 'Something went wrong on our side' },
  unavailable: { status: 503, title: 'Not ready' },
} as const satisfies Record<string, { status: number; title: string }>

export type ErrorCode = keyof typeof ERROR_CODES

/** An error whose code, detail and field issues may be shown to the caller. Its `cause` is only ever logged. */
export class WorklyError extends Error {
  readonly code: ErrorCode
  readonly issues: FieldIssue[]
  /** Seconds after which another try makes sense, for 429. */
  readonly retryAfterSeconds: number | undefined

  constructor(
    code: ErrorCode,
    detail: string,
    options: { issues?: FieldIssue[]; cause?: unknown; retryAfterSeconds?: number } = {},
  ) {
    super(detail, { cause: options.cause })
    this.name = 'WorklyError'
    this.code = code
    this.issues = options.issues ?? []
    this.retryAfterSeconds = options.retryAfterSeconds
  }

  get status(): number {
    return ERROR_CODES[this.code].status
  }
}

/** 400 with each offending field at once. */
export function invalid(issues: FieldIssue[]): WorklyError {
  const detail = issues.map(i => (i.field ? `${i.field}: ${i.message}` : i.message)).join(' ')
  return new WorklyError('invalid_request', detail, { issues })
}

/** 404: it does not exist, or belongs to another tenant, which is not told apart. */
export function notFound(what: string): WorklyError {
  return new WorklyError('not_found', `There is no ${what}.`)
}
