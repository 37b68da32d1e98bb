import { setTimeout as delay } from 'node:timers/promises'
import { type ContainerOutcome, ExecutorError, type ImageExecutor } from '@workly/delivery'
import {
  type ContainerEnd,
  type ContainerPlace,
  containerGone,
  containerStarted,
  endContainer,
  logBytesToAskFor,
  storedLog,
  storedMessage,
  type WatchedContainer,
} from '@workly/services'
import type { Logger } from 'pino'
import type { DatabaseClock } from '../clock.ts'
import { isDataError } from '../deliveries.ts'
import type { Lease } from '../lease.ts'
import { type OrderParts, orderContainer } from './container-spec.ts'

/** Waits between tries while the database is away, in milliseconds. */
const WRITE_AGAIN_MS = [100, 250, 500, 1_000, 2_000] as const
/** Waits between tries to remove a container that its executor does not give up, in milliseconds. */
const REMOVE_AGAIN_MS = [1_000, 5_000, 15_000, 30_000] as const

/** Waits after what nobody foresaw, in milliseconds; after the last, the attempt fails with it. */
const UNFORESEEN_AGAIN_MS = [250, 1_000, 5_000] as const

export interface WatchParts extends OrderParts {
  executor: ImageExecutor
  /** Whose containers it runs; null: none, every image fails at once. */
  kind: ContainerPlace['executor'] | null
  workerId: () => string
  clock: DatabaseClock
  lease: Lease
  log: Logger
}

/** The ends of one watch. */
export interface WatchSignals {
  /** Watched no longer here: another worker has it, or this one stops. The container goes on. */
  stop: AbortSignal
  /** To be removed now, whatever it does. */
  remove: AbortSignal
}

/** Another worker watches it by now: nothing more is done about it here. */
class NotOurs extends Error {}

/**
 * One container from its start, or from where another worker left it, until it is gone (spec section 3): the outcome is
 * committed first, then the container is removed.
 */
export class ContainerWatch {
  readonly #parts: WatchParts
  readonly #container: WatchedContainer
  readonly #signals: WatchSignals
  readonly #log: Logger
  #secrets: string[] = []
  /** Nothing of it was started as far as can be known, so that a refusal to remove it leaves nothing behind. */
  #started: boolean

  constructor(parts: WatchParts, container: WatchedContainer, signals: WatchSignals) {
    this.#parts = parts
    this.#container = container
    this.#signals = signals
    this.#started = container.is_started
    const { attempt_id: attempt, run_id: run, place } = container
    this.#log = parts.log.child({ attempt, run, container: place.name })
  }

  /** Resolves when the container is gone, or is watched here no longer. */
  async run(): Promise<void> {
    try {
      const outcome = await this.#untilKnown()
      if (outcome !== null) await this.#writeEnd(outcome)
      await this.#removeAll()
      await this.#persist('the end of a container', () =>
        containerGone(this.#parts.services, this.#container.handle_id, this.#parts.clock.now()),
      )
    } catch (error) {
      if (error instanceof NotOurs) this.#log.warn('another worker watches this container by now')
      else if (!this.#signals.stop.aborted) throw error
    }
  }

  /**
   * What nobody foresaw ends the attempt too: without a bound it would be waited for, and hold its slot, for ever.
   * @returns null when it is to be removed without a word about its attempt
   */
  async #untilKnown(): Promise<ContainerOutcome | null> {
    const { stop, remove } = this.#signals
    for (let tries = 0; ; tries++) {
      try {
        return await this.#untilEnd()
      } catch (error) {
        stop.throwIfAborted()
        if (error instanceof NotOurs) throw error
        this.#log.error({ err: error }, 'a container met a fault that nobody foresaw')
        const waitMs = UNFORESEEN_AGAIN_MS[tries]
        if (waitMs === undefined) return unforeseen(error)
        await delay(waitMs, undefined, { signal: AbortSignal.any([stop, remove]) }).catch(() => {})
        stop.throwIfAborted()
      }
    }
  }

  /** @returns null when it is to be removed without a word about its attempt */
  async #untilEnd(): Promise<ContainerOutcome | null> {
    const { request, is_removing: isRemoving } = this.#container
    if (request === null) return null
    const order = await this.#persist('the keys of a container', () =>
      orderContainer(this.#parts, { ...this.#container, request }),
    )
    if ('class' in order) {
      // What runs is watched to its end. Its log cannot be masked, so that none of it is kept.
      if (!this.#started) return order
      this.#log.error(
        { reason: order.message },
        'the log of a container is not kept: its secrets cannot be read',
      )
      return { ...(await this.#wait(isRemoving)), log: null, logIsCut: false }
    }
    this.#secrets = order.secrets
    // Of what is to be removed only the log is still wanted, if it ever ran.
    if (!isRemoving && !this.#started && (this.#isOurKind() || this.#parts.kind === null)) {
      const started = await this.#start(order.spec)
      if (started !== 'goes on') return started
    }
    return await this.#wait(isRemoving)
  }

  /** Whether this worker's executor is of the kind that the container was begun with. */
  #isOurKind(): boolean {
    return this.#container.place.executor === this.#parts.kind
  }

  async #start(spec: Parameters<ImageExecutor['start']>[0]): Promise<ContainerOutcome | 'goes on' | null> {
    const { executor, lease, services, workerId, clock } = this.#parts
    const { stop, remove } = this.#signals
    // A worker that was stopped for a while must not start what another has long removed.
    await lease.held()
    if (!lease.isGood()) throw new NotOurs()
    try {
      const result = await executor.start(spec, AbortSignal.any([stop, remove]))
      if (!result.started) return result.outcome
    } catch (error) {
      stop.throwIfAborted()
      if (remove.aborted) return null
      throw error
    }
    this.#started = true
    const { handle_id: handle } = this.#container
    const noted = await this.#persist('the start of a container', () =>
      containerStarted(services, workerId(), handle, clock.now()),
    )
    if (noted === 'not ours') throw new NotOurs()
    return noted === 'goes on' ? noted : await this.#wait(true)
  }

  /**
   * A removal ends the wait too, with what there is of the log.
   * @param isRemoving whether it is to be removed at once
   */
  async #wait(isRemoving: boolean): Promise<ContainerOutcome> {
    const { executor } = this.#parts
    const { stop, remove } = this.#signals
    const { place } = this.#container
    const waiting = executor.wait(place, { signal: stop, keepLogBytes: logBytesToAskFor(this.#secrets) })
    const removeNow = () => {
      // It is asked for again after the wait, and what goes wrong is told then.
      executor.remove(place, stop).catch(() => undefined)
    }
    if (isRemoving || remove.aborted) removeNow()
    remove.addEventListener('abort', removeNow)
    try {
      return await waiting
    } finally {
      remove.removeEventListener('abort', removeNow)
    }
  }

  async #writeEnd(outcome: ContainerOutcome): Promise<void> {
    const { services, workerId, clock } = this.#parts
    const { handle_id: handle } = this.#container
    const { log, truncated } = storedLog(outcome.log, outcome.logIsCut, this.#secrets)
    const end: ContainerEnd = {
      class: outcome.class,
      message: storedMessage(outcome.message, this.#secrets),
      exitCode: outcome.exitCode,
      log,
      logTruncated: truncated,
      refused: outcome.refused,
    }
    const write = (what: ContainerEnd) =>
      this.#persist('the outcome of a container', () =>
        endContainer(services, workerId(), handle, what, clock.now()),
      )
    const isOurs = await write(end).catch(error => {
      if (!isDataError(error)) throw error
      this.#log.error({ err: error }, 'the outcome of a container cannot be stored as it is')
      return write({ ...end, log: null, message: end.message && 'What was said of it could not be stored.' })
    })
    if (!isOurs) throw new NotOurs()
  }

  /** Removes it however long that takes: its slot is taken, and its next attempt waits, until it is gone. */
  async #removeAll(): Promise<void> {
    const { executor } = this.#parts
    const { stop } = this.#signals
    const { place } = this.#container
    for (let tries = 0; ; tries++) {
      try {
        await executor.remove(place, stop)
        return
      } catch (error) {
        stop.throwIfAborted()
        const isRefused = error instanceof ExecutorError && error.refused
        if (isRefused && (!this.#started || !this.#isOurKind())) {
          this.#log.warn(
            { err: error },
            'a container is not removed: if there is one, it is not for this executor',
          )
          return
        }
        this.#log.error({ err: error }, 'a container is not removed yet')
        await delay(at(REMOVE_AGAIN_MS, tries), undefined, { signal: stop })
      }
    }
  }

  /** Does something with the database, again and again while that is away. @throws errors of the data; when it is stopped */
  async #persist<T>(what: string, work: () => Promise<T>): Promise<T> {
    const { stop } = this.#signals
    for (let tries = 0; ; tries++) {
      stop.throwIfAborted()
      try {
        return await work()
      } catch (error) {
        if (isDataError(error)) throw error
        this.#log.warn({ err: error }, `${what} is not read or written yet`)
        await delay(at(WRITE_AGAIN_MS, tries), undefined, { signal: stop })
      }
    }
  }
}

function unforeseen(error: unknown): ContainerOutcome {
  const why = error instanceof Error ? error.message : String(error)
  const message = `The container could not be run, for a fault within Workly: ${why}. Its log says more to the operator.`
  return { class: 'executor', exitCode: null, message, log: null, logIsCut: false, refused: false }
}

function at(waits: readonly number[], tries: number): number {
  return waits[Math.min(tries, waits.length - 1)] ?? 1_000
}
