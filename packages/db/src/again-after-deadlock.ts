import { setTimeout as delay } from 'node:timers/promises'

/** How often what was rolled back is done again before its error is the caller's. */
const TRIES_AGAIN = 3

/**
 * Whether PostgreSQL has rolled a whole transaction back so that others can go on: `deadlock_detected` or
 * `serialization_failure` (PostgreSQL, appendix A). Nothing of it has happened, and the same again may well succeed.
 */
export function isRolledBack(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === '40P01' || error.code === '40001')
}

/**
 * Does a whole transaction, or a statement that is one by itself, again where PostgreSQL has rolled it back. The order of
 * locks keeps that rare; this keeps it harmless.
 * @param work does nothing that outlives a rollback
 */
export async function againAfterDeadlock<T>(work: () => Promise<T>): Promise<T> {
  for (let again = 0; ; again++) {
    try {
      return await work()
    } catch (error) {
      if (again === TRIES_AGAIN || !isRolledBack(error)) throw error
      // The other goes on at once; a while that differs keeps two from meeting again.
      await delay(Math.random() * 20 * 2 ** again)
    }
  }
}
