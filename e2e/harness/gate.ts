import type { Call, Reply } from './target.ts'

/** Holds answers back until it is opened. */
export class Gate {
  readonly #opened = Promise.withResolvers<void>()

  open(): void {
    this.#opened.resolve()
  }

  /** A reply to each call: the first to a run waits for the gate, later ones come at once. */
  holdFirstAttempts(reply: Reply = {}): (call: Call) => Reply {
    return call =>
      call.headers['workly-attempt'] === '1' ? { ...reply, after: this.#opened.promise } : reply
  }
}
