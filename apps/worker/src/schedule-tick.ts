import { admitDue, claimDue, expireWaits, nextDueAt, type Services } from '@workly/services'
import type { Logger } from 'pino'
import type { DatabaseClock } from './clock.ts'

/** The tick never sleeps longer, notified or not (spec section 5). */
export const LONGEST_SLEEP_MS = 1_000
/** A due job that another transaction has locked is looked for again after this. */
const LOCKED_AGAIN_MS = 20
const JOBS_PER_BATCH = 500
const WAITS_PER_BATCH = 500
/** A job whose schedule could not be read is looked at again after this. */
const READ_AGAIN_MS = 60_000

/** Claims what is due, then sleeps until the next thing is, or until it is woken. */
export class ScheduleTick {
  readonly #services: Services
  readonly #clock: DatabaseClock
  readonly #log: Logger
  /** Jobs whose stored schedule this process cannot read, and until when they are passed over. */
  readonly #unread = new Map<string, number>()
  #wake: (() => void) | null = null
  #woken = false
  #stopped = false
  #loop: Promise<void> | null = null

  constructor(services: Services, clock: DatabaseClock, log: Logger) {
    this.#services = services
    this.#clock = clock
    this.#log = log
  }

  start(): void {
    this.#loop = this.#run()
  }

  /** Something may have become due earlier than was known. */
  wake(): void {
    this.#woken = true
    this.#wake?.()
  }

  async stop(): Promise<void> {
    this.#stopped = true
    this.wake()
    await this.#loop
  }

  async #run(): Promise<void> {
    while (!this.#stopped) {
      this.#woken = false
      const sleepMs = await this.#once()
      if (this.#woken || this.#stopped) continue
      await new Promise<void>(resolve => {
        const timer = setTimeout(resolve, sleepMs)
        this.#wake = () => {
          clearTimeout(timer)
          resolve()
        }
      })
      this.#wake = null
    }
  }

  /** Jobs that could not be read a short while ago. */
  #passedOver(): string[] {
    const now = performance.now()
    for (const [job, until] of this.#unread) if (until <= now) this.#unread.delete(job)
    return [...this.#unread.keys()]
  }

  /** @returns milliseconds until there is something to do */
  async #once(): Promise<number> {
    try {
      let claimed: number
      do {
        claimed = await claimDue(
          this.#services,
          JOBS_PER_BATCH,
          (job, err) => {
            this.#log.error({ job, err }, 'a stored schedule cannot be read; it is left to a worker that can')
            this.#unread.set(job, performance.now() + READ_AGAIN_MS)
          },
          this.#passedOver(),
        )
      } while (claimed === JOBS_PER_BATCH && !this.#stopped)
      await admitDue(this.#services)
      while ((await expireWaits(this.#services, WAITS_PER_BATCH)) === WAITS_PER_BATCH && !this.#stopped);
      const now = this.#clock.now()
      const next = await nextDueAt(this.#services, now, this.#passedOver())
      if (next === null) return LONGEST_SLEEP_MS
      const waitMs = next.getTime() - this.#clock.now().getTime()
      return Math.min(LONGEST_SLEEP_MS, waitMs <= 0 ? LOCKED_AGAIN_MS : waitMs)
    } catch (error) {
      this.#log.error({ err: error }, 'the schedule tick failed; it tries again')
      return LONGEST_SLEEP_MS
    }
  }
}
