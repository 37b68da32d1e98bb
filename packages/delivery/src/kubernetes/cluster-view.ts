import { EventEmitter, once } from 'node:events'
import { managedBy } from '../container-label.ts'
import type { ContainerRef, ExecutorError } from '../image.ts'
import { pause } from '../patience.ts'
import type { KubeApi } from './api.ts'
import { JOB_NAME_LABEL, type Job, type Pod } from './objects.ts'
import { WatchedList } from './watched-list.ts'

export interface ClusterViewOptions {
  installation: string
  patienceMs: number
  stallMs: number
}

/** As a selector of labels. */
export function selectorOf(labels: Readonly<Record<string, string>>): string {
  return Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .join(',')
}

/**
 * The Jobs and pods of this installation in all namespaces, as two watches that all waits of the process share. It begins
 * with the first reader.
 */
export class ClusterView {
  readonly #jobs: WatchedList<Job>
  readonly #pods: WatchedList<Pod>
  readonly #podsByJob = new Map<string, Map<string, Pod>>()
  readonly #events = new EventEmitter().setMaxListeners(0)
  readonly #closed = new AbortController()
  #running = false

  constructor(api: KubeApi, options: ClusterViewOptions) {
    const { installation, ...shared } = options
    const common = { ...shared, labelSelector: selectorOf(managedBy(installation)) }
    const onFailure = () => this.#events.emit('failure')
    this.#jobs = new WatchedList<Job>(
      api,
      { ...common, path: '/apis/batch/v1/jobs' },
      { onChange: job => this.#events.emit(`${job.metadata?.namespace}/${job.metadata?.name}`), onFailure },
    )
    this.#pods = new WatchedList<Pod>(
      api,
      { ...common, path: '/api/v1/pods' },
      { onChange: pod => this.#podChanged(pod), onFailure },
    )
  }

  #podChanged(pod: Pod): void {
    const { namespace = '', name = '', labels } = pod.metadata ?? {}
    const job = `${namespace}/${labels?.[JOB_NAME_LABEL]}`
    const pods = this.#podsByJob.get(job) ?? new Map<string, Pod>()
    const current = this.#pods.find(namespace, name)
    if (current === undefined) pods.delete(name)
    else pods.set(name, current)
    if (pods.size === 0) this.#podsByJob.delete(job)
    else this.#podsByJob.set(job, pods)
    this.#events.emit(job)
  }

  /** Watches from now on; of an earlier failure only what still holds will be told. */
  begin(): void {
    this.#jobs.retry()
    this.#pods.retry()
    if (this.#running) return
    this.#running = true
    void this.#jobs.run(this.#closed.signal)
    void this.#pods.run(this.#closed.signal)
  }

  get failure(): ExecutorError | null {
    return this.#jobs.failure ?? this.#pods.failure
  }

  job(ref: ContainerRef): Job | null {
    return this.#jobs.find(ref.namespace, ref.name) ?? null
  }

  pods(ref: ContainerRef): Pod[] {
    return [...(this.#podsByJob.get(`${ref.namespace}/${ref.name}`)?.values() ?? [])]
  }

  /**
   * Calls `look` now and whenever something of this container changed, or the time that it named has passed, until it
   * returns a value.
   * @throws what `look` throws; the failure of the watches; the signal's reason
   */
  async follow<T>(
    ref: ContainerRef,
    signal: AbortSignal,
    look: () => Promise<{ done: T } | { lookAgainMs: number | null }>,
  ): Promise<T> {
    this.begin()
    for (;;) {
      signal.throwIfAborted()
      const end = new AbortController()
      const either = AbortSignal.any([signal, end.signal])
      // Registered before the look, so that no change between it and the waiting is lost.
      const changed = Promise.race([
        once(this.#events, `${ref.namespace}/${ref.name}`, { signal: either }),
        once(this.#events, 'failure', { signal: either }),
      ])
      changed.catch(() => {})
      try {
        if (this.failure !== null) throw this.failure
        const result = await look()
        if ('done' in result) return result.done
        const waits: Promise<unknown>[] = [changed]
        if (result.lookAgainMs !== null) waits.push(pause(result.lookAgainMs, either))
        await Promise.race(waits)
      } catch (error) {
        signal.throwIfAborted()
        throw error
      } finally {
        end.abort()
      }
    }
  }

  close(): void {
    this.#closed.abort()
  }
}
