/** Does something every `everyMs`, never twice at once, until stopped. Its errors go to `onError`. */
export class Repeat {
  readonly #work: () => Promise<void>
  readonly #everyMs: number
  readonly #onError: (error: unknown) => void
  #timer: NodeJS.Timeout | null = null
  #current: Promise<void> = Promise.resolve()
  #stopped = false

  constructor(everyMs: number, work: () => Promise<void>, onError: (error: unknown) => void) {
    this.#everyMs = everyMs
    this.#work = work
    this.#onError = onError
  }

  /** @param afterMs until the first round */
  start(afterMs = this.#everyMs): void {
    if (this.#stopped) return
    this.#timer = setTimeout(() => {
      this.#current = this.#work()
        .catch(this.#onError)
        .then(() => this.start())
    }, afterMs)
  }

  /** Resolves when the last round has ended. */
  async stop(): Promise<void> {
    this.#stopped = true
    if (this.#timer) clearTimeout(this.#timer)
    await this.#current
  }
}
