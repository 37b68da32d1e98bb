/** Why a call was cut off: its run was cancelled or taken over, or this worker is being shut down. */
export type CutReason = 'taken' | 'shutdown'

/** The calls that this worker has under way, by attempt, and the means to cut them off. */
export class CallsInFlight {
  readonly #calls = new Map<string, AbortController>()

  get size(): number {
    return this.#calls.size
  }

  ids(): string[] {
    return [...this.#calls.keys()]
  }

  /** Runs a call with a signal that ends it; `signal.reason` is a {@link CutReason}. */
  async during<T>(attemptId: string, call: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const controller = new AbortController()
    this.#calls.set(attemptId, controller)
    try {
      return await call(controller.signal)
    } finally {
      this.#calls.delete(attemptId)
    }
  }

  cut(attemptIds: Iterable<string>, reason: CutReason): void {
    for (const id of attemptIds) this.#calls.get(id)?.abort(reason)
  }
}
