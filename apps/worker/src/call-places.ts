import type { BegunAttempt } from '@workly/services'

/** One in so many places is a good part of them: enough that taking as many runs at once is no waste. */
const ROOMY = 3

/** More in hand at once would make no batch cheaper. */
const MOST_IN_HAND = 250

/** How many of a worker's calls may be such that it begins as it claims their runs; the others come as tasks. */
export const placesInHand = (concurrency: number): number =>
  Math.min(MOST_IN_HAND, Math.floor(concurrency / 2))

/**
 * The places for calls that this worker begins as it claims their runs. They are apart from those of its tasks: were they
 * shared, tasks that the queue has handed to this worker would wait here behind long calls while others have room.
 */
export class CallPlaces {
  readonly #places: number
  readonly #call: (attempt: BegunAttempt) => Promise<void>
  readonly #onError: (attempt: BegunAttempt, error: unknown) => void
  readonly #underWay = new Set<Promise<void>>()
  #freed: (() => void) | null = null

  /**
   * @param places how many calls may be under way at once
   * @param call makes a begun call and writes its result
   * @param onError told of a call that could neither be made nor given up
   */
  constructor(
    places: number,
    call: (attempt: BegunAttempt) => Promise<void>,
    onError: (attempt: BegunAttempt, error: unknown) => void,
  ) {
    this.#places = places
    this.#call = call
    this.#onError = onError
  }

  /** Places that are free now. */
  get room(): number {
    return Math.max(0, this.#places - this.#underWay.size)
  }

  /** Makes the calls. Whoever took their runs asked for the room before. */
  take(attempts: readonly BegunAttempt[]): void {
    for (const attempt of attempts) {
      const ended = this.#call(attempt)
        .catch(error => this.#onError(attempt, error))
        .finally(() => {
          this.#underWay.delete(ended)
          if (this.#isRoomy()) this.#freed?.()
        })
      this.#underWay.add(ended)
    }
  }

  /** Resolves when a good part of the places is free, at the latest after `ms`. */
  async untilRoomy(ms: number): Promise<void> {
    if (this.#isRoomy()) return
    await new Promise<void>(resolve => {
      const timer = setTimeout(resolve, ms)
      this.#freed = () => {
        clearTimeout(timer)
        resolve()
      }
    })
    this.#freed = null
  }

  /** Resolves when no call is under way. */
  async idle(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.all(this.#underWay)
  }

  #isRoomy(): boolean {
    return this.room * ROOMY >= this.#places
  }
}
