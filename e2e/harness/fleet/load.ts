import { expect } from '@playwright/test'
import type { Client } from '../client.ts'
import { until } from '../until.ts'
import type { Fleet } from './fleet.ts'
import { type Behave, FleetTarget } from './fleet-target.ts'
import {
  attemptsOf,
  changesAfterEnd,
  openRuns,
  runsOf,
  type SeenAttempt,
  type SeenRun,
  spansOf,
} from './internals.ts'
import {
  expectLogAndAttemptsAgree,
  expectNoneFailed,
  expectNothingRanTooLong,
  expectOneRunEachSecond,
  LEASE_AND_SWEEP_MS,
} from './invariants.ts'
import { QueueWatch } from './queue-watch.ts'
import type { Tenant } from './tenant.ts'

/** How a load is made up. */
export interface LoadOptions {
  /** Starts the names of its jobs. */
  name: string
  /** Each is due every second. Default 20. */
  jobs?: number
  settings?: Record<string, unknown>
  behave?: Behave
  tenant?: Tenant
}

/** What may be otherwise than usual when a load is checked. */
export interface Allowed {
  /** For how long nobody could have gone on, in milliseconds. */
  outageMs?: number
  /** Runs may fail, as they do when their target does. */
  failures?: boolean
}

/** What came of a load. */
export interface Outcome {
  runs: SeenRun[]
  attempts: SeenAttempt[]
  /** Calls that the target has had. */
  calls: number
}

/** Jobs that are due every second, with a target of their own, watched from their making to their last run's end. */
export class Load {
  readonly fleet: Fleet
  readonly target: FleetTarget
  readonly names: string[]
  readonly watch: QueueWatch
  readonly #tenant: Tenant
  readonly #timeoutMs: number

  private constructor(fleet: Fleet, target: FleetTarget, names: string[], tenant: Tenant, timeoutMs: number) {
    this.fleet = fleet
    this.target = target
    this.names = names
    this.#tenant = tenant
    this.#timeoutMs = timeoutMs
    this.watch = new QueueWatch(fleet.sql)
  }

  /** Resolves when the first calls have come. */
  static async start(fleet: Fleet, options: LoadOptions): Promise<Load> {
    const { name, jobs = 20, settings = {}, behave, tenant = fleet.tenant } = options
    const target = await FleetTarget.start(behave)
    const names = Array.from({ length: jobs }, (_, n) => `${name}-${n}`)
    const timeoutSeconds = Number(settings.timeout_seconds ?? 5)
    const load = new Load(fleet, target, names, tenant, timeoutSeconds * 1_000)
    await Promise.all(
      names.map((job, n) =>
        load.#client(n).putJob(job, {
          cron: '* * * * * *',
          dialect: 'extended',
          overlap: 'allow',
          url: target.url('/beat'),
          timeout_seconds: timeoutSeconds,
          ...settings,
        }),
      ),
    )
    await target.more(2 * jobs)
    return load
  }

  /** Resolves when the target has had so many rounds more. */
  rounds(count: number, withinMs = 90_000): Promise<void> {
    return this.target.more(count * this.names.length, withinMs)
  }

  /** Pauses the jobs, and resolves when their last run has ended. */
  async end(withinMs = 120_000): Promise<void> {
    await Promise.all(this.names.map((job, n) => this.#pause(job, n)))
    await until(
      'every run has ended',
      () => openRuns(this.fleet.sql, this.names, this.#tenant.projectId),
      open => open === 0,
      withinMs,
    )
  }

  /** Something reckoned of its runs as they are now. */
  async delays(reckon: (runs: SeenRun[]) => number): Promise<number> {
    return reckon(await runsOf(this.fleet.sql, this.names, this.#tenant.projectId))
  }

  /** Ends the load and holds it against the invariants. */
  async check({ outageMs = 0, failures = false }: Allowed = {}): Promise<Outcome> {
    await this.end()
    const { sql } = this.fleet
    const { calls } = this.target
    const [runs, attempts, spans] = await Promise.all([
      runsOf(sql, this.names, this.#tenant.projectId),
      attemptsOf(sql, this.names, this.#tenant.projectId),
      spansOf(sql, this.names, this.#tenant.projectId),
    ])
    const remains = { runs, attempts, calls, spans, timeoutMs: this.#timeoutMs, outageMs }
    expectOneRunEachSecond(remains)
    expectNothingRanTooLong(remains)
    expectLogAndAttemptsAgree(remains)
    if (!failures) expectNoneFailed(remains)
    expect(await changesAfterEnd(sql), 'I4: nothing that had ended has changed').toEqual([])
    await this.watch.expectNoTaskForgotten(this.#timeoutMs + LEASE_AND_SWEEP_MS + outageMs)
    await this.target.close()
    return { runs, attempts, calls: calls.length }
  }

  #client(n: number): Client {
    return this.fleet.client(n, this.#tenant)
  }

  /** By the other API while one is away. */
  async #pause(job: string, n: number): Promise<void> {
    let turn = n
    await until(
      `${job} is paused`,
      () =>
        this.#client(turn++)
          .call('POST', `/v1/jobs/${job}/pause`)
          .then(
            answer => answer.status,
            () => 0,
          ),
      status => status === 200,
      60_000,
    )
  }
}
