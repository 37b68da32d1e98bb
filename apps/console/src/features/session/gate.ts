/** Nobody else may wait: there are too many already. */
export class GateFull extends Error {
  override name = 'GateFull'
}

/**
 * Lets a few pieces of work go on at once, the others in their order after them. A password takes much memory and a
 * thread to check, so a crowd at the door must not take the whole process.
 */
export class Gate {
  readonly #atOnce: number
  readonly #most: number
  readonly #waiting: (() => void)[] = []
  #inside = 0

  /**
   * @param atOnce how many go on at once
   * @param most how many may wait
   */
  constructor(atOnce: number, most: number) {
    this.#atOnce = atOnce
    this.#most = most
  }

  /** @throws GateFull when as many wait as may; else what the work throws */
  async pass<T>(work: () => Promise<T>): Promise<T> {
    if (this.#inside >= this.#atOnce) {
      if (this.#waiting.length >= this.#most) throw new GateFull('too many are waiting')
      // Whoever leaves hands over the place, so the count stays as it is.
      await new Promise<void>(enter => this.#waiting.push(enter))
    } else {
      this.#inside += 1
    }
    try {
      return await work()
    } finally {
      const next = this.#waiting.shift()
      if (next) next()
      else this.#inside -= 1
    }
  }
}
