import { setTimeout as sleep } from 'node:timers/promises'
import { ExecutorError } from './image.ts'

/** How long an unreachable cluster or engine is waited for, in milliseconds (spec section 5, "Retried"). */
export const PATIENCE_MS = 120_000

const FIRST_PAUSE_MS = 200
const LONGEST_PAUSE_MS = 5000

/**
 * Tells how long something has been out of reach. Time is monotonic, so that a corrected clock ends nobody's patience.
 */
export class Patience {
  readonly #limitMs: number
  #since: number | null = null
  #pauseMs = FIRST_PAUSE_MS

  constructor(limitMs: number) {
    this.#limitMs = limitMs
  }

  reached(): void {
    this.#since = null
    this.#pauseMs = FIRST_PAUSE_MS
  }

  /** @returns how long to wait before asking again, in milliseconds; null when patience is at its end */
  missed(error: ExecutorError): number | null {
    const now = performance.now()
    this.#since ??= now
    const leftMs = this.#since + this.#limitMs - now
    if (error.refused || leftMs <= 0) return null
    const pauseMs = Math.max(this.#pauseMs, error.retryAfterMs ?? 0)
    this.#pauseMs = Math.min(this.#pauseMs * 2, LONGEST_PAUSE_MS)
    return Math.min(pauseMs, leftMs)
  }
}

/** Waits, and rejects with the signal's reason (not with an error of the timer's) if that is aborted first. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  try {
    await sleep(ms, undefined, { signal })
  } catch (error) {
    signal.throwIfAborted()
    throw error
  }
}

/**
 * Asks again while the answer is that nobody is there, within the limit.
 * @throws ExecutorError when refused, or out of reach for longer; the signal's reason
 */
export async function patiently<T>(limitMs: number, signal: AbortSignal, ask: () => Promise<T>): Promise<T> {
  const patience = new Patience(limitMs)
  for (;;) {
    try {
      signal.throwIfAborted()
      return await ask()
    } catch (error) {
      signal.throwIfAborted()
      if (!(error instanceof ExecutorError)) throw error
      const waitMs = patience.missed(error)
      if (waitMs === null) throw error
      await pause(waitMs, signal)
    }
  }
}
