import {
  admitDue,
  type BegunAttempt,
  claimInHand,
  expireWaits,
  type Hand,
  nextDueAt,
  type Services,
} from '@workly/services'
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
/** What else may be due is looked for this often at least, however many jobs are being claimed. */
const LOOK_EVERY_MS = 200
/** With no room for calls, this long is waited for some before runs are made that wait for it in the queue. */
const WAIT_FOR_ROOM_MS = 100
/** With room for fewer calls jobs are claimed as if there were none, for others to call. */
const FEWEST_AT_ONCE = 20
/** Jobs that are due for longer are claimed without a pause: a time is missed when it is claimed too late. */
const NO_PAUSE_AFTER_MS = 10_000

/** Takes the calls of runs as they are claimed. */
export interface CallTaker {
  /** Whose hand it is, with the room that it has now. */
  hand(): Hand
  /** Resolves when there is room for a good batch, at the latest after `ms`. */
  untilRoomy(ms: number): Promise<void>
  /** Makes calls that are begun, no more than there was room for. */
  take(begun: readonly BegunAttempt[]): void
}

/** Claims what is due, then sleeps until the next thing is, or until it is woken. */
export class ScheduleTick {
  readonly #services: Services
  readonly #clock: DatabaseClock
  readonly #log: Logger
  readonly #taker: CallTaker | null
  /** How late the jobs were that were claimed last. */
  #lateMs = 0
  /** On the process's monotonic clock: when other than jobs was last looked for. */
  #lookedAt = Number.NEGATIVE_INFINITY
  /** Jobs whose stored schedule this process cannot read, and until when they are passed over. */
  readonly #unread = new Map<string, number>()
  #wake: (() => void) | null = null
  #woken = false
  #stopped = false
  #loop: Promise<void> | null = null

  /** @param taker takes what can be called at once; without one all of it becomes tasks */
  constructor(services: Services, clock: DatabaseClock, log: Logger, taker: CallTaker | null = null) {
    this.#services = services
    this.#clock = clock
    this.#log = log
    this.#taker = taker
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
      if (sleepMs === 0 || this.#woken || this.#stopped) continue
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

  /**
   * Claims a batch of due jobs: as many as can be called at once, or many where there is no room for that.
   * @returns whether there may be more
   */
  async #claim(): Promise<boolean> {
    const taker = this.#taker
    if (taker && this.#lateMs < NO_PAUSE_AFTER_MS) await taker.untilRoomy(WAIT_FOR_ROOM_MS)
    if (this.#stopped) return false
    const hand = taker?.hand() ?? null
    const paces = hand !== null && this.#lateMs < NO_PAUSE_AFTER_MS && hand.room >= FEWEST_AT_ONCE
    const limit = paces ? Math.min(JOBS_PER_BATCH, hand.room) : JOBS_PER_BATCH
    const { claimed, begun, lateMs } = await claimInHand(
      this.#services,
      hand,
      limit,
      (job, err) => {
        this.#log.error({ job, err }, 'a stored schedule cannot be read; it is left to a worker that can')
        this.#unread.set(job, performance.now() + READ_AGAIN_MS)
      },
      this.#passedOver(),
    )
    taker?.take(begun)
    this.#lateMs = lateMs
    return claimed === limit
  }

  /** @returns milliseconds until there is something to do */
  async #once(): Promise<number> {
    try {
      const isMore = await this.#claim()
      if (isMore && performance.now() < this.#lookedAt + LOOK_EVERY_MS) return 0
      await admitDue(this.#services)
      while ((await expireWaits(this.#services, WAITS_PER_BATCH)) === WAITS_PER_BATCH && !this.#stopped);
      this.#lookedAt = performance.now()
      if (isMore) return 0
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
