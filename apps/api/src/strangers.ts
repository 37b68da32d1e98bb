import { createHash } from 'node:crypto'
import { WorklyError } from '@workly/core'
import type { RateLimiter } from './rate-limit.ts'

/** How long a key that was valid counts as known, from its latest use, in milliseconds. */
const KNOWN_MS = 60 * 60_000

/** The most keys in mind; beyond, those used longest ago are strangers again. */
const MOST_KNOWN = 20_000

/**
 * Holds calls that prove nothing to a rate per address, in the memory of this process, so that who sends wrong keys
 * cannot keep the database busy with them. A key that was valid within the hour is let through whatever others at its
 * address do. A try is counted before it is looked at and given back when it was right, so that many at once are no way
 * around it.
 */
export class Strangers {
  readonly #limiter: RateLimiter
  readonly #nowMs: () => number
  /** When each known key was last right, the oldest first; by its hash, so that no key stays in memory. */
  readonly #known = new Map<string, number>()
  readonly #trying = new Map<string, Promise<void>>()

  /**
   * @param limiter what an address may get wrong
   * @param nowMs a clock in milliseconds that never goes back
   */
  constructor(limiter: RateLimiter, nowMs: () => number) {
    this.#limiter = limiter
    this.#nowMs = nowMs
  }

  /** How many keys are in mind. */
  get size(): number {
    return this.#known.size
  }

  /**
   * Checks a key, of which several calls at once count as one until it is known.
   * @throws WorklyError what `check` throws; `rate_limited` without asking it
   */
  async checked<T>(key: string, address: string, check: () => Promise<T>): Promise<T> {
    const name = createHash('sha256').update(key).digest('base64')
    // One at a time, asked again after each wait: who comes to its turn begins before the next one looks.
    for (let before = this.#trying.get(name); before; before = this.#trying.get(name)) await before
    const known = this.#isKnown(name)
    if (!known) this.count(address)
    const answer = check()
    if (!known) this.#keepTrying(name, answer)
    try {
      const owner = await answer
      this.#remember(name)
      if (!known) this.#limiter.giveBack(address)
      return owner
    } catch (error) {
      const wrong = error instanceof WorklyError && error.code === 'unauthorized'
      if (wrong) this.#known.delete(name)
      if (wrong && known) this.#limiter.take(address)
      if (!wrong && !known) this.#limiter.giveBack(address)
      throw error
    }
  }

  /**
   * Counts a call that proves nothing.
   * @throws WorklyError `rate_limited` when its address has made too many
   */
  count(address: string): void {
    const { allowed, retryAfterSeconds } = this.#limiter.take(address)
    if (allowed) return
    const { perSecond, burst } = this.#limiter.rate
    throw new WorklyError(
      'rate_limited',
      `Too many calls without a valid API key came from your address; ${perSecond} a second are taken, ${burst} at once after a rest.`,
      { retryAfterSeconds },
    )
  }

  #keepTrying(name: string, answer: Promise<unknown>): void {
    const ended = answer.then(
      () => undefined,
      () => undefined,
    )
    this.#trying.set(name, ended)
    ended.then(() => {
      if (this.#trying.get(name) === ended) this.#trying.delete(name)
    })
  }

  #isKnown(name: string): boolean {
    const atMs = this.#known.get(name)
    return atMs !== undefined && this.#nowMs() - atMs < KNOWN_MS
  }

  #remember(name: string): void {
    this.#known.delete(name)
    this.#known.set(name, this.#nowMs())
    if (this.#known.size <= MOST_KNOWN) return
    // Many at once, since finding the oldest of a Map passes the places of those that are gone.
    for (const oldest of this.#known.keys()) {
      if (this.#known.size <= MOST_KNOWN / 2) break
      this.#known.delete(oldest)
    }
  }
}
