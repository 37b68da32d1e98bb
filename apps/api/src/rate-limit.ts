/** What a key may ask per second, and how much at once after a rest. */
export interface RequestRate {
  perSecond: number
  burst: number
}

/** How a key stands after one request. */
export interface Allowance {
  allowed: boolean
  /** Requests that would be let through at this moment. */
  remaining: number
  /** Seconds until the next one is let through; 0 when one is now. */
  retryAfterSeconds: number
  /** Seconds until the whole burst is there again. */
  fullInSeconds: number
}

/** Buckets looked through for full ones when there are more than this. */
const TIDY_ABOVE = 1_000

/** The most buckets in mind; beyond, the half that rested longest is forgotten, and so is full again. */
const MOST_BUCKETS = 50_000

/**
 * A bucket of requests per key, in the memory of this process (spec section 8): it fills at `perSecond` up to `burst`,
 * and a request that finds it empty is refused without being counted.
 */
export class RateLimiter {
  readonly rate: RequestRate
  readonly #nowMs: () => number
  readonly #buckets = new Map<string, { left: number; atMs: number }>()
  #tidyAt = TIDY_ABOVE

  /** @param nowMs a clock in milliseconds that never goes back */
  constructor(rate: RequestRate, nowMs: () => number) {
    this.rate = rate
    this.#nowMs = nowMs
  }

  /** How many keys are kept in mind. */
  get size(): number {
    return this.#buckets.size
  }

  /** Counts one request of the key. */
  take(key: string): Allowance {
    const { perSecond, burst } = this.rate
    const nowMs = this.#nowMs()
    const bucket = this.#buckets.get(key) ?? { left: burst, atMs: nowMs }
    bucket.left = Math.min(burst, bucket.left + ((nowMs - bucket.atMs) / 1000) * perSecond)
    bucket.atMs = nowMs
    const allowed = bucket.left >= 1
    if (allowed) bucket.left -= 1
    this.#buckets.delete(key)
    this.#buckets.set(key, bucket)
    if (this.#buckets.size > this.#tidyAt) this.#dropFull(nowMs)
    return {
      allowed,
      remaining: Math.floor(bucket.left),
      retryAfterSeconds: bucket.left >= 1 ? 0 : (1 - bucket.left) / perSecond,
      fullInSeconds: (burst - bucket.left) / perSecond,
    }
  }

  /** Takes back that a request was counted. */
  giveBack(key: string): void {
    const bucket = this.#buckets.get(key)
    if (bucket) bucket.left = Math.min(this.rate.burst, bucket.left + 1)
  }

  /** A bucket that has filled again says no more than none. */
  #dropFull(nowMs: number): void {
    for (const [key, { left, atMs }] of this.#buckets) {
      if (left + ((nowMs - atMs) / 1000) * this.rate.perSecond >= this.rate.burst) this.#buckets.delete(key)
    }
    const kept = this.#buckets.size > MOST_BUCKETS ? MOST_BUCKETS / 2 : MOST_BUCKETS
    for (const key of this.#buckets.keys()) {
      if (this.#buckets.size <= kept) break
      this.#buckets.delete(key)
    }
    this.#tidyAt = Math.min(MOST_BUCKETS, Math.max(TIDY_ABOVE, this.#buckets.size * 2))
  }
}

/** The fields of draft-ietf-httpapi-ratelimit-headers: the quota of a window, and what is left of it. */
export function rateLimitHeaders(
  { perSecond, burst }: RequestRate,
  allowance: Allowance,
): Record<string, string> {
  return {
    'RateLimit-Policy': `"key";q=${burst};w=${Math.ceil(burst / perSecond)}`,
    RateLimit: `"key";r=${allowance.remaining};t=${Math.ceil(allowance.fullInSeconds)}`,
  }
}
