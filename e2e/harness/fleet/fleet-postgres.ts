import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createSql, migrate, type Sql } from '@workly/db'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '@workly/db/embedded'
import { ended, isAlive, signal } from '../processes.ts'

export const MIGRATIONS = fileURLToPath(new URL('../../../prisma/migrations', import.meta.url))

/** PostgreSQL's ways to shut down, by the signals that ask for them (postgres(1), "Signals"). */
const SHUTDOWN = { fast: 'SIGINT', immediate: 'SIGQUIT', crash: 'SIGKILL' } as const

/** The PostgreSQL of a fleet: stopped and started again on its port, as an operator would do it. */
export class FleetPostgres {
  readonly #dataDir: string
  readonly #settings: Record<string, string>
  #server: EmbeddedPostgres
  /** The test's own connections. */
  sql: Sql

  private constructor(dataDir: string, settings: Record<string, string>, server: EmbeddedPostgres) {
    this.#dataDir = dataDir
    this.#settings = settings
    this.#server = server
    this.sql = createSql(server.url, { max: 4, name: 'faults' })
  }

  static async start(dataDir: string, settings: Record<string, string> = {}): Promise<FleetPostgres> {
    // A crash of the machine is none of the faults, so nothing waits for the disk; every commit is kept all the same.
    const all = { fsync: 'off', ...settings }
    const postgres = new FleetPostgres(dataDir, all, await startEmbeddedPostgres({ dataDir, settings: all }))
    await migrate(postgres.url, MIGRATIONS)
    return postgres
  }

  get url(): string {
    return this.#server.url
  }

  get port(): number {
    return this.#server.port
  }

  get pid(): number {
    return this.#server.pid
  }

  get logFile(): string {
    return this.#server.logFile
  }

  /** Ends the server; resolves when it is gone. */
  async shutDown(how: keyof typeof SHUTDOWN): Promise<void> {
    const { pid } = this.#server
    if (isAlive(pid)) signal(pid, SHUTDOWN[how])
    await ended([pid], 60_000)
  }

  /** Starts it again on the same data and the same port. */
  async startAgain(): Promise<void> {
    const { port } = this.#server
    this.#server = await startEmbeddedPostgres({ dataDir: this.#dataDir, settings: this.#settings })
    if (this.#server.port !== port) throw new Error(`PostgreSQL's port ${port} was taken meanwhile.`)
  }

  async remove(): Promise<void> {
    await this.sql.end({ timeout: 5 })
    await this.shutDown('fast')
    rmSync(join(this.#dataDir), { recursive: true, force: true, maxRetries: 5 })
  }
}
