import { randomBytes } from 'node:crypto'
import type { Condition } from '../../src/kubernetes/objects.ts'
import { type ObjectStore, type StoreEvent, seconds } from './object-store.ts'
import { deleteObject, kindOf } from './object-writes.ts'
import type { Json, StoredObject } from './stored-object.ts'

const JOBS = kindOf('jobs')
const PODS = kindOf('pods')

/** What a mutating webhook would do to each new pod. */
export type PodAdmission = (pod: StoredObject) => void

function conditionsOf(object: StoredObject): Condition[] {
  return (object.status?.conditions ?? []) as unknown as Condition[]
}

function has(object: StoredObject, ...types: string[]): boolean {
  return conditionsOf(object).some(({ type }) => types.includes(type))
}

function isOver(pod: StoredObject): boolean {
  return pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed'
}

/**
 * The Job controller and the garbage collector, as a 1.36 cluster was seen to act: an end is announced by one condition
 * and, when no pod is left to end, confirmed by another in an event of its own.
 */
export class JobController {
  readonly #store: ObjectStore
  readonly #timers = new Map<string, NodeJS.Timeout>()
  readonly #stop: () => void
  admission: PodAdmission = () => {}

  constructor(store: ObjectStore) {
    this.#store = store
    this.#stop = store.onEvent(event => setImmediate(() => this.#react(event)))
  }

  close(): void {
    this.#stop()
    for (const timer of this.#timers.values()) clearTimeout(timer)
  }

  #react({ kind, object }: StoreEvent): void {
    if (kind === JOBS) this.#sync(object.metadata.namespace, object.metadata.name, object.metadata.uid)
    const owner = kind === PODS ? object.metadata.ownerReferences?.[0] : undefined
    if (owner !== undefined) this.#sync(object.metadata.namespace, owner.name, owner.uid)
  }

  #podsOf(namespace: string | undefined, uid: string): StoredObject[] {
    return this.#store
      .list(PODS, namespace)
      .filter(pod => pod.metadata.ownerReferences?.some(owner => owner.uid === uid))
  }

  #sync(namespace: string | undefined, name: string, uid: string): void {
    const job = this.#store.find(JOBS, namespace, name)
    const pods = this.#podsOf(namespace, uid)
    if (job === null || job.metadata.uid !== uid || job.metadata.deletionTimestamp !== undefined) {
      this.#collect(job?.metadata.uid === uid ? job : null, pods)
      return
    }
    if (has(job, 'Complete', 'Failed')) return
    if (job.status?.startTime === undefined) this.#begin(job)
    else if (has(job, 'FailureTarget')) this.#confirmFailure(job, pods)
    else if (has(job, 'SuccessCriteriaMet')) this.#confirmSuccess(job, pods)
    else this.#judge(job, pods)
  }

  /** An owner is going or gone: its pods go, and after them an owner that waited for them. */
  #collect(job: StoredObject | null, pods: readonly StoredObject[]): void {
    for (const { metadata } of pods) {
      if (metadata.deletionTimestamp === undefined) this.#deletePod(metadata.namespace, metadata.name)
    }
    if (job !== null && pods.length === 0) this.#store.delete(JOBS, job.metadata.namespace, job.metadata.name)
  }

  #deletePod(namespace: string | undefined, name: string): void {
    if (this.#store.find(PODS, namespace, name) === null) return
    deleteObject(this.#store, PODS, { namespace, name }, {})
  }

  #begin(job: StoredObject): void {
    const { namespace, name, uid } = job.metadata
    const deadline = job.spec?.activeDeadlineSeconds
    if (typeof deadline === 'number') {
      this.#timers.set(
        uid,
        setTimeout(() => this.#deadline(namespace, name, uid), deadline * 1000),
      )
    }
    this.#store.update(JOBS, namespace, name, changed => {
      changed.status = { ...changed.status, startTime: seconds(Date.now()), active: 1 }
    })
    this.#createPod(job)
  }

  #createPod(job: StoredObject): void {
    const template = job.spec?.template as unknown as { metadata: object; spec: Record<string, Json> }
    const { namespace, name, uid } = job.metadata
    const pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        ...structuredClone(template.metadata),
        name: `${name}-${randomBytes(3).toString('hex').slice(0, 5)}`,
        ownerReferences: [{ kind: 'Job', name, uid, controller: true }],
      },
      spec: structuredClone(template.spec),
      status: { phase: 'Pending' },
    } as unknown as StoredObject
    this.admission(pod)
    this.#store.create(PODS, namespace, pod)
  }

  #judge(job: StoredObject, pods: readonly StoredObject[]): void {
    if (pods.some(pod => pod.status?.phase === 'Succeeded')) {
      this.#condition(
        job,
        'SuccessCriteriaMet',
        'CompletionsReached',
        'Reached expected number of succeeded pods',
      )
      return
    }
    const failed = pods.some(
      pod => pod.status?.phase === 'Failed' || (pod.metadata.deletionTimestamp !== undefined && !isOver(pod)),
    )
    // A pod that was there and is not: someone deleted it at once.
    if (failed || (pods.length === 0 && job.status?.active === 1 && this.#hadPod.has(job.metadata.uid))) {
      const message = 'Job has reached the specified backoff limit'
      this.#condition(job, 'FailureTarget', 'BackoffLimitExceeded', message)
    } else if (pods.length > 0) this.#hadPod.add(job.metadata.uid)
  }

  readonly #hadPod = new Set<string>()

  #deadline(namespace: string | undefined, name: string, uid: string): void {
    const job = this.#store.find(JOBS, namespace, name)
    if (job === null || job.metadata.uid !== uid || has(job, 'SuccessCriteriaMet', 'FailureTarget')) return
    // The pods go first, the reason is told a moment later.
    const message = 'Job was active longer than specified deadline'
    const told = () => this.#condition(job, 'FailureTarget', 'DeadlineExceeded', message)
    this.#deadlines.add(uid)
    for (const pod of this.#podsOf(namespace, uid)) this.#deletePod(namespace, pod.metadata.name)
    setTimeout(told, 50)
  }

  readonly #deadlines = new Set<string>()

  #confirmFailure(job: StoredObject, pods: readonly StoredObject[]): void {
    if (pods.some(pod => !isOver(pod))) return
    const { reason = '', message = '' } = conditionsOf(job).find(({ type }) => type === 'FailureTarget') ?? {}
    this.#condition(job, 'Failed', reason, message)
  }

  #confirmSuccess(job: StoredObject, pods: readonly StoredObject[]): void {
    if (pods.some(pod => !isOver(pod))) return
    this.#condition(job, 'Complete', 'CompletionsReached', 'Reached expected number of succeeded pods')
  }

  #condition(job: StoredObject, type: string, reason: string, message: string): void {
    const { namespace, name, uid } = job.metadata
    if (reason === 'BackoffLimitExceeded' && this.#deadlines.has(uid)) return
    this.#store.update(JOBS, namespace, name, changed => {
      if (changed.metadata.uid !== uid || has(changed, type)) return
      const now = seconds(Date.now())
      const condition = { type, status: 'True', reason, message, lastProbeTime: now, lastTransitionTime: now }
      const over = type === 'Complete' || type === 'Failed'
      changed.status = {
        ...changed.status,
        conditions: [...conditionsOf(changed), condition] as unknown as Json,
        ...(over ? { active: 0 } : {}),
        ...(type === 'Complete' ? { succeeded: 1, completionTime: now } : {}),
        ...(type === 'Failed' ? { failed: 1 } : {}),
      }
    })
    if (type === 'Complete' || type === 'Failed') clearTimeout(this.#timers.get(uid))
  }
}
