import { setTimeout as sleep } from 'node:timers/promises'
import type Dockerode from 'dockerode'
import { containerOptions, missingClaims } from './container-options.ts'
import { type ObjectStore, type StoreEvent, seconds } from './object-store.ts'
import { kindOf } from './object-writes.ts'
import { ConfigError, environmentOf, type PodContainer } from './pod-environment.ts'
import { PodStatus, statusesOf } from './pod-status.ts'
import { Refusal, type StoredObject } from './stored-object.ts'

const PODS = kindOf('pods')
const IMAGE = /^[a-z0-9.:/_-]+(:[\w][\w.-]*)?$/

export interface KubeletTimes {
  /** From `ErrImagePull` to `ImagePullBackOff`; about 17 s on a real cluster. */
  backOffMs: number
  /** How long a pod shows `Running` after its last container has ended. */
  phaseLagMs: number
}

function containersOf(pod: StoredObject): PodContainer[] {
  return pod.spec?.containers as unknown as PodContainer[]
}

/** One node: it runs each pod's images as containers of a real Docker engine, and tells what became of them. */
export class Kubelet {
  readonly #store: ObjectStore
  readonly #docker: Dockerode
  readonly #times: KubeletTimes
  readonly #stop: () => void
  readonly #tasks = new Set<Promise<void>>()
  readonly #ending = new Set<string>()
  readonly #containers = new Map<string, Map<string, string>>()
  readonly #closed = new AbortController()
  readonly failures: unknown[] = []

  constructor(store: ObjectStore, docker: Dockerode, times: KubeletTimes) {
    this.#store = store
    this.#docker = docker
    this.#times = times
    this.#stop = store.onEvent(event => setImmediate(() => this.#react(event)))
  }

  /** Ends all containers and waits for what is under way. */
  async close(): Promise<void> {
    this.#stop()
    this.#closed.abort()
    for (const ids of this.#containers.values()) {
      for (const id of ids.values())
        await this.#docker
          .getContainer(id)
          .remove({ force: true })
          .catch(() => {})
    }
    await Promise.all(this.#tasks)
  }

  #react({ type, kind, object }: StoreEvent): void {
    if (kind !== PODS) return
    if (type === 'ADDED') this.#task(this.#run(object))
    else if (type === 'DELETED') this.#task(this.#discard(object.metadata.uid))
    else if (object.metadata.deletionTimestamp !== undefined) this.#task(this.#end(object))
  }

  #task(work: Promise<void>): void {
    const task = work
      .catch(error => {
        if (!this.#closed.signal.aborted) this.failures.push(error)
      })
      .finally(() => this.#tasks.delete(task))
    this.#tasks.add(task)
  }

  async #pause(ms: number): Promise<void> {
    await sleep(ms, undefined, { signal: this.#closed.signal })
  }

  async #run(pod: StoredObject): Promise<void> {
    const status = new PodStatus(this.#store, pod)
    for (let missing = missingClaims(this.#store, pod); missing.length > 0; ) {
      const message = `persistentvolumeclaim "${missing[0]}" not found`
      status.condition('PodScheduled', 'False', 'Unschedulable', message)
      await this.#pause(200)
      if (!status.wanted) return
      missing = missingClaims(this.#store, pod)
    }
    status.condition('PodScheduled', 'True', 'Scheduled')
    for (const { name } of containersOf(pod)) status.waiting(name, 'ContainerCreating')
    await Promise.all(containersOf(pod).map(container => this.#runContainer(pod, status, container)))
    await this.#pause(this.#times.phaseLagMs)
    if (status.pod?.status?.phase === 'Running') this.#settle(status)
  }

  #settle(status: PodStatus): void {
    const { pod } = status
    const ends = pod === null ? [] : statusesOf(pod).map(({ state }) => state.terminated?.exitCode)
    if (ends.some(code => code === undefined)) return
    status.set({ phase: ends.every(code => code === 0) ? 'Succeeded' : 'Failed' })
  }

  async #runContainer(pod: StoredObject, status: PodStatus, container: PodContainer): Promise<void> {
    const { name, image } = container
    if (!IMAGE.test(image)) {
      const message = `Failed to apply default image tag "${image}": couldn't parse image name "${image}": invalid reference format`
      status.waiting(name, 'InvalidImageName', message)
      return
    }
    if (!(await this.#pull(status, container))) return
    const id = await this.#create(pod, status, container)
    if (id === null) return
    const startedAt = seconds(Date.now())
    try {
      await this.#docker.getContainer(id).start()
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error)
      const end = {
        exitCode: 128,
        reason: 'StartError',
        message,
        startedAt: seconds(0),
        finishedAt: startedAt,
      }
      status.container(name, { terminated: end })
      status.set({ phase: 'Running' })
      return
    }
    status.container(name, { running: { startedAt } })
    if (status.wanted) status.set({ phase: 'Running' })
    await this.#watch(id, status, name)
  }

  async #watch(id: string, status: PodStatus, name: string): Promise<void> {
    const container = this.#docker.getContainer(id)
    await container.wait().catch(() => {})
    const found = await container.inspect().catch(() => null)
    if (found === null) return
    const { ExitCode: exitCode, OOMKilled, FinishedAt } = found.State
    const reason = OOMKilled && exitCode !== 0 ? 'OOMKilled' : exitCode === 0 ? 'Completed' : 'Error'
    status.container(name, {
      terminated: { exitCode, reason, finishedAt: seconds(Date.parse(FinishedAt)) },
    })
  }

  async #present(image: string): Promise<boolean> {
    return await this.#docker
      .getImage(image)
      .inspect()
      .then(
        () => true,
        () => false,
      )
  }

  async #pullOnce(image: string): Promise<string | null> {
    try {
      const stream = await this.#docker.createImage({ fromImage: image })
      return await new Promise(resolve =>
        this.#docker.modem.followProgress(stream, error => resolve(error === null ? null : error.message)),
      )
    } catch (error) {
      return error instanceof Error ? error.message : String(error)
    }
  }

  /** Tries once more before it backs off, and after that for ever; the Job stays active meanwhile. */
  async #pull(status: PodStatus, { name, image }: PodContainer): Promise<boolean> {
    for (let failures = 0; !(await this.#present(image)); ) {
      const problem = await this.#pullOnce(image)
      if (problem === null) continue
      if (!status.wanted) return false
      failures++
      const error = `rpc error: code = NotFound desc = failed to pull and unpack image "${image}": ${problem}`
      if (failures <= 2) status.waiting(name, 'ErrImagePull', error)
      else status.waiting(name, 'ImagePullBackOff', `Back-off pulling image "${image}"`)
      await this.#pause(this.#times.backOffMs / 2)
      if (!status.wanted) return false
    }
    return status.wanted
  }

  async #create(pod: StoredObject, status: PodStatus, container: PodContainer): Promise<string | null> {
    while (status.wanted) {
      try {
        const variables = environmentOf(this.#store, pod, container)
        const options = containerOptions(this.#store, pod, container, variables)
        const { id } = await this.#docker.createContainer(options)
        const ids = this.#containers.get(pod.metadata.uid) ?? new Map<string, string>()
        this.#containers.set(pod.metadata.uid, ids.set(container.name, id))
        if (status.wanted) return id
        await this.#discard(pod.metadata.uid)
        return null
      } catch (error) {
        if (!(error instanceof ConfigError)) throw error
        status.waiting(container.name, 'CreateContainerConfigError', error.message)
        await this.#pause(500)
      }
    }
    return null
  }

  /** A deletion's grace: SIGTERM, SIGKILL after it, then the pod is gone, and its logs with it. */
  async #end(pod: StoredObject): Promise<void> {
    const { uid, deletionGracePeriodSeconds: grace = 30 } = pod.metadata
    if (this.#ending.has(uid)) return
    this.#ending.add(uid)
    const ids = [...(this.#containers.get(uid)?.values() ?? [])]
    await Promise.all(
      ids.map(id =>
        this.#docker
          .getContainer(id)
          .stop({ t: grace })
          .catch(() => {}),
      ),
    )
    // The ends of the containers are told before the pod goes.
    await this.#pause(this.#times.phaseLagMs)
    const status = new PodStatus(this.#store, pod)
    if (ids.length > 0) this.#settle(status)
    status.gone()
  }

  async #discard(uid: string): Promise<void> {
    for (const id of this.#containers.get(uid)?.values() ?? []) {
      await this.#docker
        .getContainer(id)
        .remove({ force: true })
        .catch(() => {})
    }
    this.#containers.delete(uid)
  }

  /** Under pressure a kubelet marks the pod first and kills its containers then; the pod stays to be looked at. */
  async evict(pod: StoredObject): Promise<void> {
    const status = new PodStatus(this.#store, pod)
    status.condition(
      'DisruptionTarget',
      'True',
      'TerminationByKubelet',
      'The node was low on resource: memory.',
    )
    status.set({ phase: 'Failed', reason: 'Evicted', message: 'The node was low on resource: memory.' })
    for (const id of this.#containers.get(pod.metadata.uid)?.values() ?? []) {
      await this.#docker
        .getContainer(id)
        .kill()
        .catch(() => {})
    }
  }

  async readLog(pod: StoredObject, query: URLSearchParams): Promise<Buffer> {
    const [first] = containersOf(pod)
    const name = query.get('container') ?? first?.name ?? ''
    const id = this.#containers.get(pod.metadata.uid)?.get(name)
    if (id === undefined) {
      const message = `container "${name}" in pod "${pod.metadata.name}" is waiting to start: ContainerCreating`
      throw new Refusal(400, 'BadRequest', message)
    }
    const lines = query.get('tailLines')
    const tail = lines === null ? {} : { tail: Number(lines) }
    const frames = await this.#docker.getContainer(id).logs({ stdout: true, stderr: true, ...tail })
    const chunks: Buffer[] = []
    for (let at = 0; at + 8 <= frames.length; ) {
      const length = frames.readUInt32BE(at + 4)
      chunks.push(frames.subarray(at + 8, at + 8 + length))
      at += 8 + length
    }
    return Buffer.concat(chunks)
  }
}
