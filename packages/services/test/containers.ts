import type { Image, JobPut } from '@workly/core'
import { type BegunContainer, beginContainers } from '../src/container/begin-containers.ts'
import { containerGone } from '../src/container/container-gone.ts'
import { containerStarted } from '../src/container/container-started.ts'
import { type ContainerEnd, endContainer } from '../src/container/end-container.ts'
import type { PlaceOf } from '../src/container/watched-container.ts'
import type { Services } from '../src/context.ts'
import { image } from './images.ts'
import type { Desk } from './job-desk.ts'
import type { PretendWorker } from './pretend-worker.ts'

export const placeOf: PlaceOf = ({ organizationId, attemptId }) => ({
  executor: 'docker',
  namespace: organizationId,
  name: attemptId,
})

/** Puts a job that runs an image, daily unless told otherwise. */
export function imageJob(
  desk: Desk,
  more: Partial<Image> = {},
  settings: Partial<JobPut> = {},
): Promise<string> {
  return desk.job({
    min_backoff_seconds: 0,
    max_backoff_seconds: 0,
    url: null,
    image: image(more),
    ...settings,
  })
}

const OK: ContainerEnd = {
  class: 'ok',
  message: null,
  exitCode: 0,
  log: 'done\n',
  logTruncated: false,
  refused: false,
}

export const exits = (exitCode: number): ContainerEnd => ({
  ...OK,
  class: exitCode === 0 ? 'ok' : 'container_exit',
  message: exitCode === 0 ? null : `The container exited with code ${exitCode}.`,
  exitCode,
})

export const failsAs = (cls: ContainerEnd['class'], more: Partial<ContainerEnd> = {}): ContainerEnd => ({
  ...OK,
  class: cls,
  message: `It failed as ${cls}.`,
  exitCode: null,
  log: null,
  ...more,
})

/** What a worker does about containers, step by step. */
export class ContainerHands {
  readonly #services: Services
  readonly #worker: PretendWorker

  constructor(services: Services, worker: PretendWorker) {
    this.#services = services
    this.#worker = worker
  }

  get #now(): Date {
    return this.#services.clock?.() ?? new Date()
  }

  /** Renews the lease, fetches what there is, and begins the containers of it; other tasks are given back. */
  async begin(): Promise<BegunContainer[]> {
    await this.#worker.renew()
    const tasks = await this.#worker.fetch()
    const begun = await beginContainers(this.#services, this.#worker.id, tasks, placeOf, this.#now)
    const runs = new Set(begun.map(b => b.run_id))
    await this.#worker.complete(tasks.filter(task => runs.has(task.runId)))
    await this.#worker.giveBack(tasks.filter(task => !runs.has(task.runId)))
    return begun
  }

  started(container: { handle_id: string }) {
    return containerStarted(this.#services, this.#worker.id, container.handle_id, this.#now)
  }

  end(container: { handle_id: string }, how: ContainerEnd = OK) {
    return endContainer(this.#services, this.#worker.id, container.handle_id, how, this.#now)
  }

  gone(container: { handle_id: string }) {
    return containerGone(this.#services, container.handle_id, this.#now)
  }

  /** One container, from its beginning to its start. */
  async one(): Promise<BegunContainer> {
    const [container, ...more] = await this.begin()
    if (!container || more.length > 0)
      throw new Error(`${more.length + (container ? 1 : 0)} containers have begun`)
    await this.started(container)
    return container
  }
}
