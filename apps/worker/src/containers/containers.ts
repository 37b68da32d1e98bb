import {
  adoptContainers,
  type BegunContainer,
  beginContainers,
  takenContainers,
  type WantedAttempt,
  type WatchedContainer,
} from '@workly/services'
import { MicroBatch } from '../micro-batch.ts'
import { ContainerWatch, type WatchParts } from './watch.ts'

const MOST_IN_A_BATCH = 100
/** How many containers without a watcher are taken over in one sweep. */
const ADOPTED_AT_ONCE = 500

interface Watched {
  container: WatchedContainer
  stop: AbortController
  remove: AbortController
  ended: Promise<void>
}

/**
 * The containers that this worker watches. A watch holds no task and no place among the calls: it is memory and what the
 * executor needs for it. Whatever it knows is in the database too, so that any other worker goes on where it ends.
 */
export class Containers {
  readonly #parts: WatchParts
  readonly #watches = new Map<string, Watched>()
  readonly #begins: MicroBatch<WantedAttempt, BegunContainer | undefined>
  #stopped = false

  constructor(parts: WatchParts) {
    this.#parts = parts
    this.#begins = new MicroBatch(wanted => this.#beginBatch(wanted), MOST_IN_A_BATCH, 1)
  }

  get size(): number {
    return this.#watches.size
  }

  /** Begins the container of a task, if it is one of an image and the current one, and watches it from then on. */
  async begin(wanted: WantedAttempt): Promise<void> {
    const container = await this.#begins.add(wanted)
    if (container) this.#watch(container)
  }

  async #beginBatch(wanted: WantedAttempt[]): Promise<(BegunContainer | undefined)[]> {
    const { services, executor, workerId, clock } = this.#parts
    const placeOf = executor.refFor.bind(executor)
    const begun = await beginContainers(services, workerId(), wanted, placeOf, clock.now())
    const byTask = new Map(begun.map(b => [`${b.run_id} ${b.task_number}`, b]))
    return wanted.map(w => {
      const key = `${w.runId} ${w.taskNumber}`
      const container = byTask.get(key)
      byTask.delete(key)
      return container
    })
  }

  /** Takes over what nobody watches. @returns how many */
  async adopt(): Promise<number> {
    const { services, kind, workerId } = this.#parts
    if (this.#stopped) return 0
    const held = [...this.#watches.keys()]
    const adopter = { workerId: workerId(), executor: kind, held }
    const adopted = await adoptContainers(services, adopter, ADOPTED_AT_ONCE)
    for (const container of adopted) this.#watch(container)
    return adopted.length
  }

  /** Removes the containers of these attempts: their runs were cancelled, or their jobs deleted. */
  removeNow(attemptIds: readonly string[]): void {
    if (this.#watches.size === 0) return
    const wanted = new Set(attemptIds)
    for (const { container, remove } of this.#watches.values()) {
      if (wanted.has(container.attempt_id)) remove.abort(new Error('it is to be removed'))
    }
  }

  /** Finds what is to be removed, or watched by another, though no notice came of it. */
  async checkTaken(): Promise<void> {
    const { services, workerId } = this.#parts
    const going = [...this.#watches].filter(([, { remove }]) => !remove.signal.aborted).map(([id]) => id)
    if (going.length === 0) return
    for (const { handle_id, is_ours } of await takenContainers(services.sql, workerId(), going)) {
      const watched = this.#watches.get(handle_id)
      if (is_ours) watched?.remove.abort(new Error('it is to be removed'))
      else watched?.stop.abort(new Error('another worker watches it'))
    }
  }

  /** Watches nothing any more; the containers go on, for others to watch. */
  async stop(): Promise<void> {
    this.#stopped = true
    const watches = [...this.#watches.values()]
    for (const { stop } of watches) stop.abort(new Error('the worker stops'))
    await Promise.all(watches.map(({ ended }) => ended))
  }

  #watch(container: WatchedContainer): void {
    const { handle_id: id } = container
    if (this.#stopped || this.#watches.has(id)) return
    const [stop, remove] = [new AbortController(), new AbortController()]
    const watch = new ContainerWatch(this.#parts, container, { stop: stop.signal, remove: remove.signal })
    const ended = watch
      .run()
      .catch(error => {
        const { attempt_id: attempt, run_id: run } = container
        this.#parts.log.error(
          { attempt, run, err: error },
          'the watch of a container broke; it is taken up again',
        )
      })
      .then(() => {
        this.#watches.delete(id)
      })
    this.#watches.set(id, { container, stop, remove, ended })
  }
}
