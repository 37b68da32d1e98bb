import { hostname } from 'node:os'
import type { Duplex } from 'node:stream'
import { HttpCaller } from '@workly/delivery'
import {
  ABORT_CHANNEL,
  type BegunAttempt,
  type CallKeys,
  callbackToken,
  callbackUrl,
  endDeletedRuns,
  handOver,
  loseForgotten,
  RENEW_EVERY_MS,
  type Retention,
  reckonByZoneRules,
  registerWorker,
  renewLease,
  rescueRuns,
  SCHEDULE_CHANNEL,
  SecretValues,
  type Services,
  takenAttempts,
} from '@workly/services'
import type { Logger } from 'pino'
import { CallPlaces, placesInHand } from './call-places.ts'
import { CallsInFlight } from './calls-in-flight.ts'
import { DatabaseClock } from './clock.ts'
import { Containers } from './containers/containers.ts'
import type { ImageRunner } from './containers/image-runner.ts'
import { sweepLeaked } from './containers/leaked-containers.ts'
import { deliverAttempt } from './deliver-attempt.ts'
import { Deliveries } from './deliveries.ts'
import { Lease } from './lease.ts'
import { Pruning } from './pruning.ts'
import { Repeat } from './repeat.ts'
import { ScheduleTick } from './schedule-tick.ts'
import { SigningKeys } from './signing-keys.ts'
import { startTaskPool, type TaskPool } from './task-pool.ts'
import { deliverRun } from './tasks/deliver-run.ts'

/** How often the rescuer sweeps, and how often calls in flight are checked for having been cancelled. */
const SWEEP_EVERY_MS = 3_000
const CHECK_TAKEN_EVERY_MS = 1_000
/** How often leaked containers are looked for. */
const LOOK_FOR_LEAKED_EVERY_MS = 60_000
/** How often runs of deleted jobs are looked for, and how many batches of them are ended then. */
const END_DELETED_EVERY_MS = 1_000
const END_DELETED_BATCHES = 10
/** How often next times are looked for that an older edition of the time zone database has reckoned. */
const RECKON_EVERY_MS = 3_600_000

export interface WorkerOptions {
  services: Services
  /** For graphile-worker's own pool. */
  databaseUrl: string
  /** Opens the connections of that pool; by default they are plain ones. */
  openSocket?: () => Duplex
  /** Deliveries under way at once in this process. */
  concurrency: number
  /** How long calls in flight are waited for at a stop, in milliseconds (`WORKLY_SHUTDOWN_GRACE`). */
  shutdownGraceMs: number
  /** How long runs are kept. */
  retention: Retention
  version: string
  /** `WORKLY_PUBLIC_URL`: where callbacks come to; no slash at its end. */
  publicUrl: string
  log: Logger
  /** What runs images. */
  images: ImageRunner
  /** Certificate authorities in place of the public ones, for tests. */
  ca?: string
}

/** A running worker. */
export interface RunningWorker {
  id: string
  /**
   * Resolves when this worker can do nothing more: a rescuer has taken it for dead (it was stopped for too long), or its
   * task pool has broken. Stop it, start another.
   */
  lost: Promise<void>
  /** Takes nothing new, waits for calls in flight, hands the rest over. */
  stop(): Promise<void>
  stats(): { inFlight: number; containers: number }
}

/**
 * Everything one worker does: claims what is due, delivers, renews its lease, and rescues what dead workers left.
 * It writes nothing but through the services.
 */
class Worker implements RunningWorker {
  id = ''
  readonly lost: Promise<void>
  readonly #options: WorkerOptions
  readonly #clock = new DatabaseClock()
  readonly #lease: Lease
  readonly #inFlight = new CallsInFlight()
  readonly #caller: HttpCaller
  readonly #secretValues: SecretValues
  readonly #signingKeys: SigningKeys
  readonly #deliveries: Deliveries
  readonly #places: CallPlaces
  readonly #containers: Containers
  readonly #stopping = new AbortController()
  readonly #tick: ScheduleTick
  readonly #pruning: Pruning
  readonly #repeats: Repeat[] = []
  readonly #unlisten: (() => Promise<void>)[] = []
  #pool: TaskPool | null = null
  #sayBroken: () => void = () => undefined

  constructor(options: WorkerOptions) {
    this.#options = options
    const { services, log, version } = options
    this.#lease = new Lease(() => renewLease(services, this.id), this.#clock)
    const broken = new Promise<void>(resolve => {
      this.#sayBroken = resolve
    })
    this.lost = Promise.race([this.#lease.lost, broken])
    this.#caller = new HttpCaller({
      allowedPrivate: services.allowedPrivate,
      allowHttp: services.allowHttp,
      userAgent: `Workly/${version}`,
      // As many as calls may be under way: of a burst that is over in waves none is closed only to be opened again.
      maxIdle: options.concurrency,
      maxIdlePerOrigin: options.concurrency,
      ...(options.ca !== undefined && { ca: options.ca }),
    })
    this.#secretValues = new SecretValues(services, (secret, err) => {
      log.error({ secret, err }, 'a secret value cannot be read')
    })
    this.#signingKeys = new SigningKeys(services, this.#clock, (secret, err) => {
      log.error({ secret, err }, 'a signing secret cannot be read and is left out')
    })
    this.#deliveries = new Deliveries(services, () => this.id, this.#clock, log)
    this.#containers = new Containers({
      services,
      secretValues: this.#secretValues,
      publicUrl: options.publicUrl,
      ...options.images,
      workerId: () => this.id,
      clock: this.#clock,
      lease: this.#lease,
      log,
    })
    this.#places = new CallPlaces(
      placesInHand(options.concurrency),
      attempt => this.#call(attempt),
      ({ attempt_id, run_id }, err) =>
        log.error({ attempt: attempt_id, run: run_id, err }, 'a call broke; its run is taken up again'),
    )
    this.#tick = new ScheduleTick(services, this.#clock, log, {
      hand: () => ({ workerId: this.id, room: this.#lease.isGood() ? this.#places.room : 0 }),
      untilRoomy: ms => this.#places.untilRoomy(ms),
      take: begun => {
        this.#deliveries.hold(begun)
        this.#places.take(begun)
      },
    })
    this.#pruning = new Pruning(services, options.retention, log)
  }

  async start(): Promise<void> {
    const { services, log, databaseUrl, openSocket, concurrency } = this.#options
    this.#pool = await startTaskPool({
      databaseUrl,
      openSocket,
      concurrency: concurrency - placesInHand(concurrency),
      log,
      tasks: {
        'deliver-run': deliverRun(
          this.#deliveries,
          this.#lease,
          attempt => this.#call(attempt),
          wanted => this.#containers.begin(wanted),
        ),
      },
    })
    this.id = await registerWorker(services, {
      poolId: this.#pool.id,
      host: hostname(),
      pid: process.pid,
      version: this.#options.version,
    })
    await this.#lease.renew()
    void this.#pool.ended.then(() => this.#sayBroken())
    await this.#listen(SCHEDULE_CHANNEL, () => this.#tick.wake())
    await this.#listen(ABORT_CHANNEL, ids => {
      this.#inFlight.cut(ids.split(','), 'taken')
      this.#containers.removeNow(ids.split(','))
    })
    this.#repeat(RENEW_EVERY_MS, 'renewing the lease', () => this.#lease.renew())
    this.#repeat(SWEEP_EVERY_MS, 'rescuing', () => this.#rescue())
    this.#repeat(END_DELETED_EVERY_MS, 'ending the runs of deleted jobs', () => this.#endDeleted())
    this.#repeat(CHECK_TAKEN_EVERY_MS, 'checking for cancelled calls', () => this.#cutTaken())
    this.#repeat(RECKON_EVERY_MS, 'reckoning next times anew', () => this.#reckon(), 0)
    this.#repeat(LOOK_FOR_LEAKED_EVERY_MS, 'looking for leaked containers', () => this.#sweepLeaked())
    this.#tick.start()
    this.#pruning.start()
    log.info({ worker: this.id, pool: this.#pool.id, concurrency }, 'worker started')
  }

  stats(): { inFlight: number; containers: number } {
    return { inFlight: this.#inFlight.size, containers: this.#containers.size }
  }

  async stop(): Promise<void> {
    const { services, shutdownGraceMs, log } = this.#options
    this.#stopping.abort(new Error('the worker stops'))
    const pruningEnded = this.#pruning.stop()
    await this.#tick.stop()
    const pool = this.#pool
    // Returns what was fetched ahead and takes nothing new at once; resolves when the tasks under way have ended.
    const drained = pool?.drain().catch(err => log.error({ err }, 'the task pool did not end well'))
    const grace = setTimeout(() => this.#endGrace(), shutdownGraceMs)
    await Promise.all([drained, this.#places.idle()])
    clearTimeout(grace)
    await Promise.all([pruningEnded, ...this.#repeats.map(repeat => repeat.stop())])
    // Before its word that it has stopped, upon which others take them over.
    await this.#containers.stop()
    const lost = await handOver(services, this.id)
    await Promise.all(this.#unlisten.map(unlisten => unlisten()))
    await pool?.end()
    await this.#caller.close()
    log.info({ worker: this.id, lost }, 'worker stopped')
  }

  /** Cuts off what is still in flight, and waits for the database no longer. */
  #endGrace(): void {
    this.#inFlight.cut(this.#inFlight.ids(), 'shutdown')
    this.#deliveries.giveUp()
    this.#lease.letGo()
  }

  #repeat(everyMs: number, what: string, work: () => Promise<void>, firstAfterMs = everyMs): void {
    const repeat = new Repeat(everyMs, work, error => {
      this.#options.log.error({ err: error }, `${what} failed; it is tried again`)
    })
    this.#repeats.push(repeat)
    repeat.start(firstAfterMs)
  }

  async #listen(channel: string, heard: (payload: string) => void): Promise<void> {
    const { unlisten } = await this.#options.services.sql.listen(channel, heard)
    this.#unlisten.push(unlisten)
  }

  /** Makes a begun call and writes its result. */
  async #call(attempt: BegunAttempt): Promise<void> {
    try {
      const finished = await this.#deliver(attempt)
      if (finished) await this.#deliveries.finish(finished)
    } finally {
      this.#deliveries.end(attempt)
    }
  }

  #deliver(attempt: BegunAttempt) {
    return deliverAttempt(
      {
        caller: this.#caller,
        clock: this.#clock,
        inFlight: this.#inFlight,
        keysOf: a => this.#keysOf(a),
        onKeysAway: ({ attempt_id, run_id }, err) =>
          this.#options.log.warn(
            { attempt: attempt_id, run: run_id, err },
            'the keys of a call are not read yet',
          ),
      },
      attempt,
    )
  }

  async #keysOf(attempt: BegunAttempt): Promise<CallKeys> {
    const { version } = this.#options
    const [signingSecrets, secretValues] = await Promise.all([
      this.#signingKeys.of(attempt.project_id),
      this.#secretValues.of([attempt.request]),
    ])
    return {
      signingSecrets,
      secretValues,
      userAgent: `Workly/${version}`,
      timestamp: Math.floor(this.#clock.now().getTime() / 1000),
      callbackUrl: this.#callbackUrlOf(attempt),
    }
  }

  /** Null where no callback is to come: making its token takes a while. */
  #callbackUrlOf({ attempt_id: id, request }: BegunAttempt): string | null {
    const { services, publicUrl } = this.#options
    if (request.kind === 'http' && request.response === 'sync') return null
    return callbackUrl(publicUrl, id, callbackToken(services.encryption, id).token)
  }

  async #rescue(): Promise<void> {
    const { services, log } = this.#options
    // Just before, so that a machine that slept through other workers' leases knows that it did.
    await this.#lease.renew()
    const rescue = await rescueRuns(services, this.#lease.mayBury())
    if (rescue.deadWorkers.length > 0 || rescue.newTasks > 0) log.warn(rescue, 'rescued')
    const forgotten = await loseForgotten(services, this.id, this.#deliveries.heldIds())
    if (forgotten > 0) log.warn({ forgotten }, 'calls that were begun without a word are made again')
    const adopted = await this.#containers.adopt()
    if (adopted > 0) log.info({ adopted }, 'containers were taken over')
  }

  async #endDeleted(): Promise<void> {
    for (let batch = 0; batch < END_DELETED_BATCHES && !this.#stopping.signal.aborted; batch++)
      if (!(await endDeletedRuns(this.#options.services))) return
  }

  /** After an upgrade of Node, and for what an older one beside this has claimed since. */
  async #reckon(): Promise<void> {
    for await (const reckoned of reckonByZoneRules(this.#options.services)) {
      this.#options.log.info(reckoned, 'next times reckoned by a newer edition of the time zone database')
      if (this.#stopping.signal.aborted) return
    }
  }

  /** Notices can be lost with their connection; this finds what they would have said. */
  async #cutTaken(): Promise<void> {
    const ids = this.#inFlight.ids()
    if (ids.length > 0) this.#inFlight.cut(await takenAttempts(this.#options.services, ids), 'taken')
    await this.#containers.checkTaken()
  }

  async #sweepLeaked(): Promise<void> {
    const { services, log, images } = this.#options
    if (images.kind === null) return
    const nowMs = () => this.#clock.now().getTime()
    await sweepLeaked({ services, executor: images.executor, log, nowMs }, this.#stopping.signal).catch(
      error => {
        if (!this.#stopping.signal.aborted) throw error
      },
    )
  }
}

/** Starts a worker; it has its lease and takes tasks when this resolves. */
export async function startWorker(options: WorkerOptions): Promise<RunningWorker> {
  const worker = new Worker(options)
  await worker.start()
  return worker
}
