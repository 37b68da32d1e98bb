import { randomBytes } from 'node:crypto'
import { chmodSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createPrisma, createSql, migrate, type Sql } from '@workly/db'
import { type EmbeddedPostgres, removeEmbeddedPostgres, startEmbeddedPostgres } from '@workly/db/embedded'
import { LIMIT_DEFAULTS, readEncryptionKeys, type Services } from '@workly/services'
import { Child } from './child.ts'

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url))
const MIGRATIONS = path('../../../prisma/migrations')
const WORKER = path('../../../apps/worker/src/main.ts')

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
  readonly #dataDir: string
  readonly #target: Child
  readonly #keys: string
  readonly #pools: { end(): Promise<void> }[] = []

  private constructor(
    dataDir: string,
    postgres: EmbeddedPostgres,
    target: Child,
    port: string,
    keys: string,
  ) {
    this.#dataDir = dataDir
    this.postgres = postgres
    this.#target = target
    this.targetUrl = `http://127.0.0.1:${port}/`
    this.#keys = keys
    const sql = this.open(postgres.url)
    const prisma = createPrisma(postgres.url, { max: 2 })
    this.#pools.push({ end: () => prisma.$disconnect() })
    this.services = {
      sql,
      prisma,
      encryption: readEncryptionKeys(keys),
      limits: LIMIT_DEFAULTS,
      allowHttp: true,
      allowedPrivate: [],
    }
  }

  static async start(postgresSettings: ServerSettings = {}): Promise<Rig> {
    const dataDir = mkdtempSync(join(tmpdir(), 'workly-bench-'))
    chmodSync(dataDir, 0o755)
    try {
      const postgres = await startEmbeddedPostgres({ dataDir, settings: postgresSettings })
      await migrate(postgres.url, MIGRATIONS)
      const [target, port] = await Child.start([path('target.ts')], {}, line => /^\d+$/.test(line))
      return new Rig(dataDir, postgres, target, port, `bench:${randomBytes(32).toString('base64')}`)
    } catch (error) {
      await removeEmbeddedPostgres(dataDir)
      throw error
    }
  }

  open(url: string): Sql {
    const sql = createSql(url, { max: 4, name: 'workly bench' })
    this.#pools.push({ end: () => sql.end({ timeout: 5 }) })
    return sql
  }

  get targetPid(): number {
    return this.#target.pid
  }

  /** A worker as production has it: a process with its settings in the environment. */
  async startWorker(env: NodeJS.ProcessEnv, nodeFlags: string[] = []): Promise<Child> {
    const [worker] = await Child.start(
      [...nodeFlags, WORKER],
      {
        DATABASE_URL: this.postgres.url,
        WORKLY_ENCRYPTION_KEYS: this.#keys,
        WORKLY_PUBLIC_URL: 'http://127.0.0.1:1',
        WORKLY_ALLOW_HTTP: 'loopback',
        WORKLY_ALLOWED_PRIVATE_TARGETS: '127.0.0.0/8',
        ...env,
      },
      line => line.includes('worker started'),
    )
    return worker
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

  async forget(): Promise<void> {
    await fetch(this.targetUrl, { method: 'DELETE' })
  }

  async remove(): Promise<void> {
    await this.#target.end()
    await Promise.all(this.#pools.map(pool => pool.end()))
    await removeEmbeddedPostgres(this.#dataDir)
  }
}
