import { ExecutorError } from '../image.ts'

/** Kubernetes' `Status` object, the body of every refusal. */
export interface ApiStatus {
  code?: number
  reason?: string
  message?: string
}

/** What the operator can do about a refusal; the cluster's own words may end in a period or not. */
function advice(status: number, message: string): string {
  const full = message.endsWith('.') ? ' ' : '. '
  if (status === 401)
    return `${full}Check the credentials in KUBECONFIG, or those of the workers' service account.`
  // As opposed to a quota or a policy, which answer 403 too.
  if (status === 403 && /cannot \w+ resource/.test(message)) {
    return `${full}Give the workers the rights of the ClusterRole in Workly's guide to images.`
  }
  return ''
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
    super(
      `Kubernetes answered ${status}${reason === '' ? '' : ` (${reason})`}: ${message}${advice(status, message)}`,
      options,
    )
    this.status = status
    this.reason = reason
  }
}

/** There is no such thing, it changed meanwhile, or it is too old: how things stand just now. 429: its fairness queues. */
const PASSING = new Set([404, 408, 409, 410, 429])

/** Whether a refusal speaks of the state of the server or its objects, and may be another a moment later. */
export function isPassing(status: number, message: string): boolean {
  if (status === 403) return message.includes('because it is being terminated')
  return status < 400 || status >= 500 || PASSING.has(status)
}

export function isApiStatus(error: unknown, status: number): boolean {
  return error instanceof ApiAnswer && error.status === status
}

/** For what a proxy made up, or another server's. */
export function noAnswer(): ExecutorError {
  return new ExecutorError(
    'Kubernetes gave an answer that is none of its own. Check that KUBECONFIG leads to an API server.',
    { refused: false },
  )
}

export function unreachable(cause: unknown): ExecutorError {
  const why = cause instanceof Error ? cause.message : String(cause)
  return new ExecutorError(
    `Kubernetes could not be reached: ${why}. Check that its API server answers, and that KUBECONFIG leads to it.`,
    { refused: false, cause },
  )
}
