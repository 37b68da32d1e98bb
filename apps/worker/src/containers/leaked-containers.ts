import { ExecutorError, type ImageExecutor } from '@workly/delivery'
import { attemptsWithContainers, type Services } from '@workly/services'
import type { Logger } from 'pino'

/** Younger ones are left alone, in milliseconds: clocks differ, and whoever made them may be at it. */
const LEAKED_AFTER_MS = 60_000

export interface SweepParts {
  services: Services
  executor: ImageExecutor
  log: Logger
  /** The clock, in milliseconds. */
  nowMs(): number
  leakedAfterMs?: number
}

/**
 * Removes containers of this installation that nobody expects: made by a request that arrived when the attempt was given
 * up, or left behind when the database was set back. A handle is committed before its container is made, so what is there
 * without one has no attempt.
 * @returns how many were removed
 * @throws the signal's reason; what the database throws
 */
export async function sweepLeaked(parts: SweepParts, signal: AbortSignal): Promise<number> {
  const { services, executor, log } = parts
  const limit = parts.nowMs() - (parts.leakedAfterMs ?? LEAKED_AFTER_MS)
  let removed = 0
  try {
    const old = (await executor.list(signal)).filter(({ createdAt }) => createdAt.getTime() <= limit)
    if (old.length === 0) return 0
    const expected = await attemptsWithContainers(
      services,
      old.map(container => container.attemptId),
    )
    for (const { ref, attemptId, runId } of old.filter(container => !expected.has(container.attemptId))) {
      await executor.remove(ref, signal)
      log.warn({ attempt: attemptId, run: runId, container: ref.name }, 'a leaked container was removed')
      removed++
    }
  } catch (error) {
    signal.throwIfAborted()
    if (!(error instanceof ExecutorError)) throw error
    log.warn({ err: error }, 'leaked containers could not be looked for')
  }
  return removed
}
