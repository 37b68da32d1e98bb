import { type ContainerRef, ExecutorError } from '../image.ts'
import type { Verdict } from '../image-outcome.ts'
import type { ContainerLog } from '../log-tail.ts'
import { Patience } from '../patience.ts'
import type { KubeApi } from './api.ts'
import type { ClusterView } from './cluster-view.ts'
import { DELETED, Judge, type Judgement, type JudgeTimes, type Sight } from './judge.ts'
import type { Job, Pod } from './objects.ts'
import { listPods, readJobLog, readPodLog } from './pod-log.ts'

/** How soon to ask again about a Job that the watches do not have yet, in milliseconds. */
const ASK_AGAIN_MS = 1000

/**
 * One wait for one Job. The log is begun to be read as soon as a pod is seen to be going, since a deadline takes it
 * along with the pod.
 */
export class JobWatch {
  readonly #api: KubeApi
  readonly #view: ClusterView
  readonly #ref: ContainerRef
  readonly #judge: Judge
  readonly #keepLogBytes: number
  readonly #patience: Patience
  #early: Promise<ContainerLog | null> | null = null

  constructor(
    api: KubeApi,
    view: ClusterView,
    ref: ContainerRef,
    options: { keepLogBytes: number; times: JudgeTimes; patienceMs: number },
  ) {
    this.#api = api
    this.#view = view
    this.#ref = ref
    this.#judge = new Judge(options.times)
    this.#keepLogBytes = options.keepLogBytes
    this.#patience = new Patience(options.patienceMs)
  }

  /** @throws ExecutorError when the server refused or was away for too long, the signal's reason */
  verdict(signal: AbortSignal): Promise<Verdict> {
    return this.#view.follow(this.#ref, signal, async () => {
      const known = this.#view.job(this.#ref)
      if (known !== null) return this.#look({ job: known, pods: this.#view.pods(this.#ref) }, signal)
      // It may be newer than the watches, or gone, which they would not tell: only the server's own answer decides.
      const asked = await this.#ask(signal)
      if (asked === null) return { done: DELETED }
      if ('lookAgainMs' in asked) return asked
      const judgement = this.#look(asked, signal)
      return 'done' in judgement ? judgement : { lookAgainMs: ASK_AGAIN_MS }
    })
  }

  #look(sight: Sight, signal: AbortSignal): Judgement {
    this.#readEarly(sight.pods, signal)
    return this.#judge.look(sight, performance.now())
  }

  /** @returns null when there is no such Job; when to ask again, when the server could not say */
  async #ask(signal: AbortSignal): Promise<Sight | { lookAgainMs: number } | null> {
    const { namespace, name } = this.#ref
    try {
      const path = `/apis/batch/v1/namespaces/${namespace}/jobs/${name}`
      const job = await this.#api.find<Job>({ method: 'GET', path }, signal)
      const sight = job === null ? null : { job, pods: await listPods(this.#api, this.#ref, signal) }
      this.#patience.reached()
      return sight
    } catch (error) {
      signal.throwIfAborted()
      const waitMs = error instanceof ExecutorError ? this.#patience.missed(error) : null
      if (waitMs === null) throw error
      return { lookAgainMs: waitMs }
    }
  }

  #readEarly(pods: readonly Pod[], signal: AbortSignal): void {
    const going = pods.find(pod => pod.metadata?.deletionTimestamp !== undefined)
    if (going === undefined || this.#early !== null) return
    this.#early = readPodLog(this.#api, going, this.#keepLogBytes, signal)
    this.#early.catch(() => {})
  }

  /** @throws ExecutorError, the signal's reason */
  async log(signal: AbortSignal): Promise<ContainerLog | null> {
    const early = await (this.#early ?? Promise.resolve(null)).catch(() => null)
    return (await readJobLog(this.#api, this.#ref, this.#keepLogBytes, signal)) ?? early
  }
}
