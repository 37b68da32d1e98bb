import { type ContainerOutcome, ExecutorError } from './image.ts'
import { CANCELLED, executorFailed, type Verdict } from './image-outcome.ts'
import type { ContainerLog } from './log-tail.ts'
import { patiently } from './patience.ts'

/** How long an outcome is held back for a log that can't be read just now, in milliseconds. */
const LOG_PATIENCE_MS = 10_000

interface Watch {
  cancel: AbortController
  ended: Promise<void>
}

/** Watches in progress in this process, so that a removal asked for here is told from one by someone else. */
export class Watches {
  readonly #byName = new Map<string, Set<Watch>>()
  readonly #closed = new AbortController()

  /**
   * @param watch is given a signal that also ends with a removal; may throw ExecutorError
   * @param readLog asked once the verdict is there; it is given up on where it throws ExecutorError
   * @throws the signal's reason, or that of `close`
   */
  async run(
    name: string,
    signal: AbortSignal,
    watch: (signal: AbortSignal) => Promise<Verdict>,
    readLog: (signal: AbortSignal) => Promise<ContainerLog | null>,
  ): Promise<ContainerOutcome> {
    const outer = AbortSignal.any([signal, this.#closed.signal])
    const cancel = new AbortController()
    const { promise: ended, resolve: end } = Promise.withResolvers<void>()
    const entry: Watch = { cancel, ended }
    const all = this.#byName.get(name) ?? new Set()
    this.#byName.set(name, all.add(entry))
    try {
      const verdict = await judged(outer, cancel.signal, watch)
      const log = verdict.class === 'executor' ? null : await orNull(outer, readLog)
      return { ...verdict, log: log?.text ?? null, logIsCut: log?.isCut ?? false }
    } finally {
      all.delete(entry)
      if (all.size === 0) this.#byName.delete(name)
      end()
    }
  }

  /** Ends the watches of a container as cancelled; resolves when they have read its log. */
  async cancel(name: string): Promise<void> {
    const watches = [...(this.#byName.get(name) ?? [])]
    for (const { cancel } of watches) cancel.abort()
    await Promise.all(watches.map(({ ended }) => ended))
  }

  close(): void {
    this.#closed.abort(new DOMException('The image executor was closed.', 'AbortError'))
  }
}

async function judged(
  outer: AbortSignal,
  cancelled: AbortSignal,
  watch: (signal: AbortSignal) => Promise<Verdict>,
): Promise<Verdict> {
  try {
    return await watch(AbortSignal.any([outer, cancelled]))
  } catch (error) {
    outer.throwIfAborted()
    if (cancelled.aborted) return CANCELLED
    if (error instanceof ExecutorError) return executorFailed(error)
    throw error
  }
}

async function orNull(
  signal: AbortSignal,
  readLog: (signal: AbortSignal) => Promise<ContainerLog | null>,
): Promise<ContainerLog | null> {
  try {
    return await patiently(LOG_PATIENCE_MS, signal, () => readLog(signal))
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof ExecutorError) return null
    throw error
  }
}
