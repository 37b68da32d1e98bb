import { DatabaseReach, LEASE_MS, type Renewal } from '@workly/services'
import type { DatabaseClock } from './clock.ts'

/**
 * A worker's lease as the worker itself knows it: whether it may take something new, and whether it may bury others
 * (spec section 5).
 */
export class Lease {
  /** Resolves when a renewal says that a rescuer has taken this worker for dead. */
  readonly lost: Promise<void>
  readonly #renewal: () => Promise<Renewal>
  readonly #clock: DatabaseClock
  #sayLost: () => void = () => undefined
  /** On the process's monotonic clock: until when the lease is certainly good. */
  #goodUntil = Number.NEGATIVE_INFINITY
  readonly #reach = new DatabaseReach()
  #waiting: (() => void)[] = []
  #open = false

  /** @param renewal renews the lease in the database */
  constructor(renewal: () => Promise<Renewal>, clock: DatabaseClock) {
    this.#renewal = renewal
    this.#clock = clock
    this.lost = new Promise(resolve => {
      this.#sayLost = resolve
    })
  }

  /** @throws what the renewal throws */
  async renew(): Promise<void> {
    const before = this.#clock.reading()
    const { alive, now } = await this.#renewal().catch(error => {
      this.#reach.failed()
      throw error
    })
    this.#clock.measured(now, before, this.#clock.reading())
    this.#reach.reached(now)
    if (!alive) {
      this.#sayLost()
      this.letGo()
      return
    }
    this.#goodUntil = before + LEASE_MS
    for (const go of this.#waiting.splice(0)) go()
  }

  /**
   * Whether every renewal of a whole lease has reached the database, the latest just now. Otherwise it may have been
   * away from all, and a lease that has run out says nothing about its worker.
   */
  mayBury(): boolean {
    return this.#reach.forWholeLease()
  }

  /** Resolves at once while the lease is good, else with the next renewal, so that nothing new is taken before. */
  held(): Promise<void> {
    if (this.#open || this.#clock.reading() < this.#goodUntil) return Promise.resolve()
    return new Promise(resolve => this.#waiting.push(resolve))
  }

  /** Whether the lease is certainly good now; false for good once this worker is lost or stops. */
  isGood(): boolean {
    return !this.#open && this.#clock.reading() < this.#goodUntil
  }

  /** Lets all go that wait for the lease: this worker is lost or stops, and the database takes nothing more from it. */
  letGo(): void {
    this.#open = true
    for (const go of this.#waiting.splice(0)) go()
  }
}
