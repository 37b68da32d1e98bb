import { setTimeout as delay } from 'node:timers/promises'
import { expect } from '@playwright/test'
import type { Sql } from '@workly/db'
import { until } from '../until.ts'
import { lookAtQueue } from './internals.ts'

const LOOK_EVERY_MS = 250
const SLACK_MS = 5_000

/** Looks at the queue all the while, and keeps the worst it has seen. */
export class QueueWatch {
  readonly #sql: Sql
  readonly #ended = new AbortController()
  readonly #looking: Promise<void>
  /** Most runs that had no task in one snapshot, and most that had none for too long. */
  withoutTask = 0
  longWithoutTask = 0
  oldestLockMs = 0
  looks = 0

  constructor(sql: Sql) {
    this.#sql = sql
    this.#looking = this.#look()
  }

  /** I5: no task was locked for longer, none is locked now, and no run was left without one. */
  async expectNoTaskForgotten(lockedAtMostMs: number): Promise<void> {
    await until(
      'I5: no task is locked any more',
      () => lookAtQueue(this.#sql),
      look => look.locked === 0,
      lockedAtMostMs + SLACK_MS,
    )
    this.#ended.abort()
    await this.#looking
    expect(this.looks, 'the queue was looked at').toBeGreaterThan(0)
    expect(this.longWithoutTask, 'I5: no run was left without a task').toBe(0)
    expect(this.oldestLockMs, 'I5: no task was locked past its lease').toBeLessThan(lockedAtMostMs + SLACK_MS)
  }

  async #look(): Promise<void> {
    const { signal } = this.#ended
    while (!signal.aborted) {
      // While the database is away there is nothing to see.
      const look = await lookAtQueue(this.#sql).catch(() => null)
      if (look) {
        this.looks++
        this.withoutTask = Math.max(this.withoutTask, look.without_task)
        this.longWithoutTask = Math.max(this.longWithoutTask, look.long_without_task)
        this.oldestLockMs = Math.max(this.oldestLockMs, look.oldest_lock_ms)
      }
      await delay(LOOK_EVERY_MS, undefined, { signal }).catch(() => undefined)
    }
  }
}
