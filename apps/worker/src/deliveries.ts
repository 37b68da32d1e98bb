import { setTimeout as delay } from 'node:timers/promises'
import {
  type BegunAttempt,
  beginAttempts,
  type FinishedCall,
  finishAttempts,
  type Services,
  type WantedAttempt,
} from '@workly/services'
import type { Logger } from 'pino'
import type { DatabaseClock } from './clock.ts'
import { MicroBatch } from './micro-batch.ts'

const MOST_IN_A_BATCH = 250
const PARALLEL_BATCHES = 2
/** Waits between tries to write a result while the database is away; the fence decides whether it is still wanted. */
const WRITE_AGAIN_MS = [100, 250, 500, 1_000, 2_000] as const

/** Errors of the data itself (SQLSTATE classes 22 and 23): trying the same again cannot help. */
export function isDataError(error: unknown): boolean {
  return (
    error instanceof Error && 'code' in error && typeof error.code === 'string' && /^2[23]/.test(error.code)
  )
}

/** Begins and finishes attempts for many deliveries at once. */
export class Deliveries {
  readonly #services: Services
  readonly #clock: DatabaseClock
  readonly #log: Logger
  readonly #begins: MicroBatch<WantedAttempt, BegunAttempt | undefined>
  readonly #finishes: MicroBatch<FinishedCall, 'written' | 'refused'>
  readonly #held = new Set<string>()
  readonly #stopped = new AbortController()

  constructor(services: Services, workerId: () => string, clock: DatabaseClock, log: Logger) {
    this.#services = services
    this.#clock = clock
    this.#log = log
    this.#begins = new MicroBatch(
      async wanted => {
        const begun = await beginAttempts(services, workerId(), wanted, clock.now())
        const byTask = new Map(begun.map(b => [`${b.run_id} ${b.task_number}`, b]))
        this.hold(begun)
        return wanted.map(w => {
          const key = `${w.runId} ${w.taskNumber}`
          const attempt = byTask.get(key)
          // An attempt is given out once, were its task to stand in the batch twice.
          byTask.delete(key)
          return attempt
        })
      },
      MOST_IN_A_BATCH,
      PARALLEL_BATCHES,
    )
    this.#finishes = new MicroBatch(async calls => this.#write(calls), MOST_IN_A_BATCH, PARALLEL_BATCHES)
  }

  /** Undefined: the task is an old one, or the run has ended meanwhile. */
  begin(wanted: WantedAttempt): Promise<BegunAttempt | undefined> {
    return this.#begins.add(wanted)
  }

  /** These were begun here: each is to be ended. */
  hold(begun: readonly BegunAttempt[]): void {
    for (const { attempt_id } of begun) this.#held.add(attempt_id)
  }

  /** Attempts that were begun here and have not ended here: under way, or with a result still to be written. */
  heldIds(): string[] {
    return [...this.#held]
  }

  /** Nothing more comes of this attempt here. */
  end(attempt: BegunAttempt): void {
    this.#held.delete(attempt.attempt_id)
  }

  /** Results that cannot be written are given up, and their attempts left to whoever takes over. */
  giveUp(): void {
    this.#stopped.abort()
  }

  /**
   * Writes a result, again and again while the database is away: it is kept until it is written, its fence is
   * refused (spec section 5), or the worker gives up.
   */
  async finish(call: FinishedCall): Promise<void> {
    for (let tries = 0; ; tries++) {
      try {
        const written = await this.#finishes.add(call)
        if (written === 'refused')
          this.#log.warn({ attempt: call.attemptId, run: call.runId }, 'late result refused')
        return
      } catch (error) {
        if (isDataError(error)) return this.#finishAlone(call, error)
        this.#log.warn(
          { attempt: call.attemptId, run: call.runId, err: error },
          'a result is not written yet',
        )
        const waitMs = WRITE_AGAIN_MS[Math.min(tries, WRITE_AGAIN_MS.length - 1)]
        await delay(waitMs, undefined, { signal: this.#stopped.signal }).catch(() => undefined)
        if (this.#stopped.signal.aborted) {
          this.#log.error({ attempt: call.attemptId, run: call.runId }, 'a result is given up')
          return
        }
      }
    }
  }

  async #write(calls: FinishedCall[]): Promise<('written' | 'refused')[]> {
    const refused = new Set(await finishAttempts(this.#services, calls, this.#clock.now()))
    return calls.map(call => (refused.has(call.attemptId) ? 'refused' : 'written'))
  }

  /** One result that the database cannot hold must not take its batch with it, nor end without a word. */
  async #finishAlone(call: FinishedCall, cause: unknown): Promise<void> {
    try {
      await this.#write([call])
    } catch (error) {
      if (!isDataError(error)) return this.finish(call)
      this.#log.error(
        { attempt: call.attemptId, run: call.runId, err: cause },
        'a result cannot be stored as it is',
      )
      const bare = {
        ...call.result,
        headers: null,
        body: null,
        message: call.result.message && 'The answer could not be stored.',
      }
      await this.#write([{ ...call, result: bare }])
    }
  }
}
