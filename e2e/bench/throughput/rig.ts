import { randomBytes } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { createPrisma, createSql, migrate, type Sql } from '@workly/db'
import type { EmbeddedPostgres } from '@workly/db/embedded'
import { LIMIT_DEFAULTS, readEncryptionKeys, type Services } from '@workly/services'
import { freePort } from '../../harness/stack.ts'
import { atEnd } from '../ending.ts'
import { type BenchPostgres, startPostgres } from '../postgres.ts'
import { Child } from './child.ts'

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url))
const MIGRATIONS = path('../../../prisma/migrations')
const WORKER = path('../../../apps/worker/src/main.ts')
const API = path('../../../apps/api/src/main.ts')
/** How long the target is waited for. */
const CALLS_WITHIN_MS = 300_000

type ServerSettings = Readonly<Record<string, string>>

/** What the target has seen since it was last told to forget. */
export interface Seen {
  calls: number
  distinct: number
  /** Milliseconds since the epoch. */
  arrivals: number[]
}

/** A PostgreSQL of its own as the embedded default has it (it does wait for the disk), and a target. */
export class Rig {
  readonly postgres: EmbeddedPostgres
  readonly targetUrl: string
  readonly services: Services
  readonly #target: Child
  readonly #keys: string
  /** What is to be ended, in the order of its making. */
  readonly #ends: (() => Promise<void>)[]

  private constructor({ server, end }: BenchPostgres, target: Child, port: string) {
    this.postgres = server
    this.#target = target
    this.#ends = [end, () => target.end()]
    this.targetUrl = `http://127.0.0.1:${port}/`
    this.#keys = `bench:${randomBytes(32).toString('base64')}`
    const sql = this.open(server.url)
    const prisma = createPrisma(server.url, { max: 2 })
    this.#ends.push(atEnd(() => prisma.$disconnect()))
    this.services = {
      sql,
      prisma,
      encryption: readEncryptionKeys(this.#keys),
      limits: LIMIT_DEFAULTS,
      allowHttp: true,
      allowedPrivate: [],
    }
  }

  static async start(postgresSettings: ServerSettings = {}): Promise<Rig> {
    const postgres = await startPostgres(postgresSettings)
    try {
      await migrate(postgres.server.url, MIGRATIONS)
      const [target, port] = await Child.start([path('target.ts')], {}, line => /^\d+$/.test(line))
      return new Rig(postgres, target, port)
    } catch (error) {
      await postgres.end()
      throw error
    }
  }

  open(url: string): Sql {
    const sql = createSql(url, { max: 4, name: 'workly bench' })
    this.#ends.push(atEnd(() => sql.end({ timeout: 5 })))
    return sql
  }

  get targetPid(): number {
    return this.#target.pid
  }

  /** A worker as production has it: a process with its settings in the environment. */
  async startWorker(env: NodeJS.ProcessEnv, nodeFlags: string[] = []): Promise<Child> {
    const [worker] = await Child.start([...nodeFlags, WORKER], { ...this.#environment(), ...env }, line =>
      line.includes('worker started'),
    )
    this.#ends.push(() => worker.kill())
    return worker
  }

  /** An API as production has it. @returns with its address */
  async startApi(env: NodeJS.ProcessEnv, nodeFlags: string[] = []): Promise<[Child, string]> {
    const port = String(await freePort())
    const [api] = await Child.start(
      [...nodeFlags, API],
      { ...this.#environment(), PORT: port, ...env },
      line => line.includes('the API is listening'),
    )
    this.#ends.push(() => api.kill())
    return [api, `http://127.0.0.1:${port}`]
  }

  #environment(): NodeJS.ProcessEnv {
    return {
      DATABASE_URL: this.postgres.url,
      WORKLY_ENCRYPTION_KEYS: this.#keys,
      WORKLY_PUBLIC_URL: 'http://127.0.0.1:1',
      WORKLY_ALLOW_HTTP: 'loopback',
      WORKLY_ALLOWED_PRIVATE_TARGETS: '127.0.0.0/8',
    }
  }

  async seen(): Promise<Seen> {
    const response = await fetch(this.targetUrl)
    return (await response.json()) as Seen
  }

  /** Calls that have come. */
  async calls(): Promise<number> {
    const response = await fetch(this.targetUrl, { method: 'HEAD' })
    return Number(response.headers.get('x-calls'))
  }

  /** Resolves as soon as so many calls have come. */
  async reached(calls: number): Promise<void> {
    await fetch(this.targetUrl, {
      method: 'HEAD',
      headers: { 'x-at-least': String(calls) },
      signal: AbortSignal.timeout(CALLS_WITHIN_MS),
    })
  }

  /** The target forgets all calls, and answers those that it holds. */
  async forget(): Promise<void> {
    await fetch(this.targetUrl, { method: 'DELETE' })
  }

  async remove(): Promise<void> {
    for (const end of this.#ends.toReversed()) await end()
  }
}
