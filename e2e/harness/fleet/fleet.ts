import { randomBytes } from 'node:crypto'
import type { Sql } from '@workly/db'
import { Client } from '../client.ts'
import { freePort, newDataDir } from '../stack.ts'
import { until } from '../until.ts'
import { FleetPostgres } from './fleet-postgres.ts'
import { watchTerminalStates } from './internals.ts'
import { Member, type MemberOptions } from './member.ts'
import { foundTenant, type Tenant } from './tenant.ts'

/** How a fleet is made up. */
export interface FleetOptions {
  workers?: number
  apis?: number
  /** For every worker and API. */
  env?: Record<string, string>
  /** Settings of PostgreSQL. */
  postgres?: Record<string, string>
  /** Where PostgreSQL's data lie; by default a new folder. */
  dataDir?: string
}

/** How one member of the fleet differs from the others. */
export interface Different extends Partial<MemberOptions> {
  /** In place of the fleet's own way to PostgreSQL. */
  databaseUrl?: string
}

/**
 * Workly as it is run for many: a PostgreSQL, some workers and some API processes, each of which can be killed, stopped
 * and started by itself.
 */
export class Fleet {
  readonly postgres: FleetPostgres
  readonly encryptionKeys: string
  readonly #env: Record<string, string>
  readonly workers: Member[] = []
  readonly apis: Member[] = []
  /** Everything that was ever started, so that nothing is left behind. */
  readonly #members: Member[] = []
  readonly apiPorts: number[] = []
  tenant: Tenant = { slug: '', organizationId: '', projectId: '', apiKey: '' }

  private constructor(postgres: FleetPostgres, encryptionKeys: string, env: Record<string, string>) {
    this.postgres = postgres
    this.encryptionKeys = encryptionKeys
    this.#env = env
  }

  static async start(options: FleetOptions = {}): Promise<Fleet> {
    const postgres = await FleetPostgres.start(options.dataDir ?? newDataDir(), options.postgres)
    const keys = `k1:${randomBytes(32).toString('base64')}`
    const fleet = new Fleet(postgres, keys, options.env ?? {})
    try {
      await watchTerminalStates(postgres.sql)
      fleet.tenant = await fleet.found('first')
      for (let n = 0; n < (options.apis ?? 2); n++) fleet.apiPorts.push(await freePort())
      await Promise.all([
        ...fleet.apiPorts.map(async port => fleet.apis.push(await fleet.startApi(port))),
        ...Array.from({ length: options.workers ?? 2 }, async () =>
          fleet.workers.push(await fleet.startWorker()),
        ),
      ])
    } catch (error) {
      await fleet.remove()
      throw error
    }
    return fleet
  }

  get sql(): Sql {
    return this.postgres.sql
  }

  /** The base of an API, which callback URLs have too. */
  apiUrl(index = 0): string {
    return `http://127.0.0.1:${this.apiPorts[index % this.apiPorts.length]}`
  }

  client(index = 0, tenant = this.tenant): Client {
    return new Client(this.apiUrl(index), tenant.apiKey)
  }

  /** One more organization, with a project and a key. */
  found(slug: string): Promise<Tenant> {
    return foundTenant(this.sql, this.postgres.url, this.encryptionKeys, slug)
  }

  async startWorker(different: Different = {}): Promise<Member> {
    const worker = this.launchWorker(different)
    await worker.ready()
    return worker
  }

  /** Starts a worker without waiting for it. */
  launchWorker(different: Different = {}): Member {
    const worker = Member.launch('worker', this.#options(different, { WORKLY_SHUTDOWN_GRACE: '2' }))
    this.#members.push(worker)
    return worker
  }

  async startApi(port: number, different: Different = {}): Promise<Member> {
    const api = Member.launch('api', this.#options(different, { HOST: '127.0.0.1', PORT: String(port) }))
    this.#members.push(api)
    await api.ready()
    return api
  }

  /** Starts workers for those that have ended. */
  async completeWorkers(): Promise<void> {
    await Promise.all(
      this.workers.map(async (worker, index) => {
        if (worker.hasEnded) this.workers[index] = await this.startWorker()
      }),
    )
  }

  /** Resolves when every API answers. */
  async serves(withinMs = 60_000): Promise<void> {
    const asked = this.apiPorts.map((_, index) =>
      until(
        'the API answers',
        () =>
          this.client(index)
            .call('GET', '/v1/jobs?limit=1')
            .then(
              answer => answer.status,
              () => 0,
            ),
        status => status === 200,
        withinMs,
      ),
    )
    await Promise.all(asked)
  }

  async remove(): Promise<void> {
    try {
      for (const member of this.#members) member.send('SIGCONT')
      await Promise.all(this.#members.map(member => member.stop(15_000)))
    } finally {
      await this.postgres.remove()
    }
  }

  /** What the members have said, for a test that failed. */
  output(): Record<string, string> {
    return Object.fromEntries(this.#members.map(m => [`${m.kind} ${m.pid}`, m.output]))
  }

  #options({ databaseUrl, env = {}, ...rest }: Different, more: Record<string, string>): MemberOptions {
    return {
      ...rest,
      env: {
        DATABASE_URL: databaseUrl ?? this.postgres.url,
        WORKLY_ENCRYPTION_KEYS: this.encryptionKeys,
        WORKLY_PUBLIC_URL: this.apiUrl(),
        WORKLY_ALLOW_HTTP: 'loopback',
        WORKLY_ALLOWED_PRIVATE_TARGETS: '127.0.0.0/8',
        WORKLY_LIMIT_SHORTEST_INTERVAL_SECONDS: '1',
        ...more,
        ...this.#env,
        ...env,
      },
    }
  }
}
