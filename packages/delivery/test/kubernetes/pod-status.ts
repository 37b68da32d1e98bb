import type { ContainerState } from '../../src/kubernetes/objects.ts'
import { type ObjectStore, seconds } from './object-store.ts'
import { kindOf } from './object-writes.ts'
import type { Json, StoredObject } from './stored-object.ts'

const PODS = kindOf('pods')

interface ContainerStatus {
  name: string
  state: ContainerState
}

export function statusesOf(pod: StoredObject): ContainerStatus[] {
  return (pod.status?.containerStatuses ?? []) as unknown as ContainerStatus[]
}

/** Writes the status of one pod, as long as it is still that pod. */
export class PodStatus {
  readonly #store: ObjectStore
  readonly #namespace: string | undefined
  readonly #name: string
  readonly #uid: string

  constructor(store: ObjectStore, pod: StoredObject) {
    this.#store = store
    this.#namespace = pod.metadata.namespace
    this.#name = pod.metadata.name
    this.#uid = pod.metadata.uid
  }

  /** The pod as it is now; null when it is gone. */
  get pod(): StoredObject | null {
    const pod = this.#store.find(PODS, this.#namespace, this.#name)
    return pod?.metadata.uid === this.#uid ? pod : null
  }

  get wanted(): boolean {
    const { pod } = this
    return pod !== null && pod.metadata.deletionTimestamp === undefined && pod.status?.phase !== 'Failed'
  }

  set(fields: Record<string, Json | undefined>): void {
    if (this.pod === null) return
    this.#store.update(PODS, this.#namespace, this.#name, pod => {
      pod.status = { ...pod.status, ...fields }
    })
  }

  condition(type: string, status: 'True' | 'False', reason: string, message = ''): void {
    const conditions = (this.pod?.status?.conditions ?? []) as { type: string }[]
    const others = conditions.filter(condition => condition.type !== type)
    const added = { type, status, reason, message, lastTransitionTime: seconds(Date.now()) }
    this.set({ conditions: [...others, added] as unknown as Json })
  }

  container(name: string, state: ContainerState): void {
    const { pod } = this
    if (pod === null) return
    const others = statusesOf(pod).filter(status => status.name !== name)
    this.set({ containerStatuses: [...others, { name, state }] as unknown as Json })
  }

  waiting(name: string, reason: string, message?: string): void {
    this.container(name, { waiting: { reason, ...(message === undefined ? {} : { message }) } })
  }

  /** The last step of a deletion. */
  gone(): void {
    if (this.pod !== null) this.#store.delete(PODS, this.#namespace, this.#name)
  }
}
