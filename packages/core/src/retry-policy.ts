import type { AttemptClass } from './attempt-class.ts'

/** A job's present settings for retries. */
export interface RetrySettings {
  max_attempts: number
  min_backoff_seconds: number
  max_backoff_seconds: number
  backoff_multiplier: number
  retry_on_4xx: boolean
}

const RETRIED: ReadonlySet<AttemptClass> = new Set<AttemptClass>([
  'dns',
  'connect',
  'tls',
  'timeout',
  'reset',
  'protocol',
  'evicted',
  'image_pull',
  'container_exit',
  'callback_failed',
])

/**
 * Whether a failure of this class is retried while attempts are left (spec section 5, "Retried").
 * @param refused of class `executor`: it refused for good, rather than being out of reach
 */
export function isRetried(
  cls: AttemptClass,
  status: number | null,
  retryOn4xx: boolean,
  refused = false,
): boolean {
  // None is configured or it refuses us: that does not mend itself. Out of reach for long: it may.
  if (cls === 'executor') return !refused
  if (cls !== 'http_status') return RETRIED.has(cls)
  if (status === null) return false
  if (status >= 500 || status === 408 || status === 429) return true
  return status >= 400 && retryOn4xx
}

/**
 * The wait before attempt n+1, in milliseconds: `min(max, min × multiplier^(n−1))` (spec section 4).
 * @param n attempts counted so far in the present set, at least 1
 */
export function backoffMs(settings: RetrySettings, n: number): number {
  const seconds = settings.min_backoff_seconds * settings.backoff_multiplier ** (n - 1)
  return Math.min(settings.max_backoff_seconds, seconds) * 1000
}

export interface RetryDecision {
  /** Milliseconds to wait before the next attempt. */
  waitMs: number
  /** Why then, for the attempt's record. */
  reason: string
}

/**
 * What follows a failed attempt: the wait before the next one, or null when the run ends as failed.
 * `Retry-After` lengthens the wait on 429 and 503, up to `max_backoff_seconds` (spec section 5).
 * @param counted attempts counted in the present set, the failed one included
 */
export function afterFailure(
  settings: RetrySettings,
  counted: number,
  failure: { class: AttemptClass; status: number | null; retryAfterMs: number | null; refused?: boolean },
): RetryDecision | null {
  if (counted >= settings.max_attempts) return null
  if (!isRetried(failure.class, failure.status, settings.retry_on_4xx, failure.refused)) return null
  const wait = backoffMs(settings, counted)
  const asked = failure.status === 429 || failure.status === 503 ? (failure.retryAfterMs ?? 0) : 0
  const capped = Math.min(asked, settings.max_backoff_seconds * 1000)
  if (capped > wait) {
    return { waitMs: capped, reason: `The target asked to wait ${Math.round(asked / 1000)} s (Retry-After).` }
  }
  return { waitMs: wait, reason: `Backoff after attempt ${counted} of ${settings.max_attempts}.` }
}
