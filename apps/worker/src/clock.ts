/**
 * The database's clock as this process reckons it: its own monotonic clock plus an offset measured at each heartbeat
 * (spec section 5). A machine whose wall clock is wrong, or is set while the worker runs, schedules and signs rightly.
 */
export class DatabaseClock {
  readonly #monotonicMs: () => number
  #offsetMs: number | null = null

  constructor(monotonicMs: () => number = () => performance.now()) {
    this.#monotonicMs = monotonicMs
  }

  /** Milliseconds on the process's monotonic clock, for {@link measured}. */
  reading(): number {
    return this.#monotonicMs()
  }

  /**
   * Takes a measurement: the database said `now` somewhere between the two readings, taken to be in the middle.
   */
  measured(now: Date, before: number, after: number): void {
    this.#offsetMs = now.getTime() - (before + after) / 2
  }

  /** @throws Error before the first measurement */
  now(): Date {
    if (this.#offsetMs === null) throw new Error("the database's clock has not been read yet")
    return new Date(Math.floor(this.#monotonicMs() + this.#offsetMs))
  }
}
