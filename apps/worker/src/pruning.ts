import { newPruneProgress, prune, type Retention, type Services } from '@workly/services'
import type { Logger } from 'pino'
import { Repeat } from './repeat.ts'

/** How often what is past its time is cleared away. */
export const PRUNE_EVERY_MS = 60_000

/** Clears away what is past its time, in turns with the other workers: one is at it at a time. */
export class Pruning {
  readonly #services: Services
  readonly #retention: Retention
  readonly #log: Logger
  readonly #progress = newPruneProgress()
  readonly #ending = new AbortController()
  readonly #repeat: Repeat

  constructor(services: Services, retention: Retention, log: Logger, everyMs = PRUNE_EVERY_MS) {
    this.#services = services
    this.#retention = retention
    this.#log = log
    this.#repeat = new Repeat(
      everyMs,
      () => this.#round(),
      error => log.error({ err: error }, 'clearing away old rows failed; it is tried again'),
    )
  }

  start(): void {
    this.#repeat.start()
  }

  /** Ends the round under way after the batch at hand. */
  async stop(): Promise<void> {
    this.#ending.abort()
    await this.#repeat.stop()
  }

  async #round(): Promise<void> {
    const pruned = await prune(this.#services, this.#retention, this.#progress, this.#ending.signal)
    if (pruned && pruned.runs + pruned.other > 0) this.#log.info(pruned, 'cleared away old rows')
  }
}
