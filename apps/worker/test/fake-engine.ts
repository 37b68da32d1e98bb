import {
  type ContainerOutcome,
  type ContainerRef,
  ExecutorError,
  type ImageExecutor,
  type ImageSpec,
  type ListedContainer,
} from '@workly/delivery'

interface FakeContainer extends ListedContainer {
  spec: ImageSpec | null
  ended: PromiseWithResolvers<ContainerOutcome>
}

const REFUSED: ContainerOutcome = {
  class: 'executor',
  exitCode: null,
  message: '',
  log: null,
  logIsCut: false,
  refused: true,
}

/** Exits with a code; 0 succeeds. */
export function exit(code: number, log = 'done\n'): ContainerOutcome {
  return {
    class: code === 0 ? 'ok' : 'container_exit',
    exitCode: code,
    message: code === 0 ? null : `The container exited with code ${code}.`,
    log,
    logIsCut: false,
    refused: false,
  }
}

/**
 * An engine in memory, which any number of workers' executors share: containers run until the test ends them. What real
 * executors do is tested on real engines.
 */
export class FakeEngine {
  readonly #containers = new Map<string, FakeContainer>()
  readonly #removed = new Set<string>()
  /** By attempt: how often its container was made. */
  readonly starts = new Map<string, number>()
  /** What a start answers in place of starting. */
  refuseStart: ContainerOutcome | null = null
  /** What the next starts throw, as nobody foresaw. */
  startFaults: Error[] = []
  /** What the next waits throw. */
  waitFaults: Error[] = []
  /** What the next removals throw. */
  removeFaults: Error[] = []
  /** Starts wait for it. */
  startGate: Promise<void> = Promise.resolve()
  /** Removals wait for it. */
  removeGate: Promise<void> = Promise.resolve()
  #changed = Promise.withResolvers<void>()

  #change(): void {
    const { resolve } = this.#changed
    this.#changed = Promise.withResolvers()
    resolve()
  }

  /** Resolves when a container comes or goes. */
  changed(): Promise<void> {
    return this.#changed.promise
  }

  /** Resolves when that holds of what runs. */
  async until(holds: () => boolean): Promise<void> {
    while (!holds()) await this.changed()
  }

  /** Specs of what runs. */
  get running(): ImageSpec[] {
    return [...this.#containers.values()].flatMap(({ spec }) => spec ?? [])
  }

  get size(): number {
    return this.#containers.size
  }

  /** Ends the container of a run. */
  async end(runId: string, outcome: ContainerOutcome): Promise<void> {
    const find = () => [...this.#containers.values()].find(container => container.runId === runId)
    await this.until(() => find() !== undefined)
    find()?.ended.resolve(outcome)
  }

  /** Something that nobody expects. */
  leak(ref: ContainerRef, organizationId: string, runId: string, attemptId: string, createdAt: Date): void {
    const ended = Promise.withResolvers<ContainerOutcome>()
    this.#containers.set(ref.name, { ref, organizationId, runId, attemptId, createdAt, spec: null, ended })
  }

  executor(kind: ContainerRef['executor'] = 'docker'): ImageExecutor {
    const refFor: ImageExecutor['refFor'] = ({ organizationId, attemptId }) => ({
      executor: kind,
      namespace: organizationId,
      name: attemptId,
    })
    return {
      refFor,
      start: async (spec, signal) => {
        await unless(signal, this.startGate)
        const ref = refFor(spec)
        throwNext(this.startFaults)
        if (this.refuseStart !== null) return { started: false, ref, outcome: this.refuseStart }
        const adopted = this.#containers.has(ref.name)
        if (!adopted) this.#make(ref, spec)
        return { started: true, ref, adopted }
      },
      wait: async (ref, { signal }) => {
        if (ref.executor !== kind) return { ...REFUSED, message: `It was started with ${ref.executor}.` }
        throwNext(this.waitFaults)
        const container = this.#containers.get(ref.name)
        if (!container) return { ...exit(1), class: 'evicted', exitCode: null, message: 'It is gone.' }
        return await unless(signal, container.ended.promise)
      },
      logs: async () => null,
      remove: async (ref, signal) => {
        if (ref.executor !== kind) throw new ExecutorError('It is of another executor.', { refused: true })
        const cancelled = { ...exit(1, 'so far\n'), class: 'cancelled' as const, exitCode: null }
        this.#containers.get(ref.name)?.ended.resolve(cancelled)
        throwNext(this.removeFaults)
        await unless(signal, this.removeGate)
        this.#containers.delete(ref.name)
        this.#removed.add(ref.name)
        this.#change()
      },
      list: async () => [...this.#containers.values()],
      close: async () => {},
    }
  }

  #make(ref: ContainerRef, spec: ImageSpec): void {
    const { organizationId, runId, attemptId } = spec
    this.starts.set(attemptId, (this.starts.get(attemptId) ?? 0) + 1)
    const ended = Promise.withResolvers<ContainerOutcome>()
    const createdAt = new Date()
    this.#containers.set(ref.name, { ref, organizationId, runId, attemptId, createdAt, spec, ended })
    this.#change()
  }
}

function throwNext(faults: Error[]): void {
  const fault = faults.shift()
  if (fault) throw fault
}

async function unless<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  signal.throwIfAborted()
  const aborted = Promise.withResolvers<never>()
  const abort = () => aborted.reject(signal.reason)
  signal.addEventListener('abort', abort)
  try {
    return await Promise.race([work, aborted.promise])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}
