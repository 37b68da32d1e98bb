import { LEASE_MS } from './register-worker.ts'

/**
 * Whether this process has reached the database for a whole lease, without a gap in which others could not have either:
 * only then does a lease that has run out say something about its worker (spec section 5). By the database's clock,
 * which runs on while this machine sleeps.
 */
export class DatabaseReach {
  /** The first and the latest of an unbroken row of answers. */
  #row: { since: number; latest: number } | null = null

  /** The database has answered, saying that it is `at`. */
  reached(at: Date): void {
    const now = at.getTime()
    const goesOn = this.#row !== null && now - this.#row.latest <= LEASE_MS
    this.#row = { since: goesOn && this.#row ? this.#row.since : now, latest: now }
  }

  /** It has not answered. */
  failed(): void {
    this.#row = null
  }

  forWholeLease(): boolean {
    return this.#row !== null && this.#row.latest - this.#row.since >= LEASE_MS
  }
}
