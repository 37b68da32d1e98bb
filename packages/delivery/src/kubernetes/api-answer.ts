import { ExecutorError } from '../image.ts'

/** Kubernetes' `Status` object, the body of every refusal. */
export interface ApiStatus {
  code?: number
  reason?: string
  message?: string
}

/** The API server answered, and not with what was asked for. */
export class ApiAnswer extends ExecutorError {
  readonly status: number
  readonly reason: string

  constructor(
    status: number,
    { reason = '', message = '' }: ApiStatus,
    options: { refused: boolean; retryAfterMs?: number | null },
  ) {
    super(`Kubernetes answered ${status}${reason === '' ? '' : ` (${reason})`}: ${message}`, options)
    this.status = status
    this.reason = reason
  }
}

/** Statuses that speak of the server's state, not of the request; 429 comes from its fairness queues. */
export function isTransient(status: number): boolean {
  return status === 408 || status === 429 || status >= 500
}

export function isApiStatus(error: unknown, status: number): boolean {
  return error instanceof ApiAnswer && error.status === status
}

export function unreachable(cause: unknown): ExecutorError {
  const why = cause instanceof Error ? cause.message : String(cause)
  return new ExecutorError(`Kubernetes could not be reached: ${why}.`, { refused: false, cause })
}
