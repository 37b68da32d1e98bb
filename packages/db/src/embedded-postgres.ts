import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { findBinaries } from './embedded/binaries.ts'
import { type Cluster, openCluster, rememberPort } from './embedded/cluster.ts'
import { EmbeddedPostgresError, explainFailure } from './embedded/failure.ts'
import { freePort } from './embedded/free-port.ts'
import { type Hold, takeHold } from './embedded/hold.ts'
import { chooseLocation, clusterOf, type Location, SHARED_HOME } from './embedded/location.ts'
import { findPostmaster, stopPostmaster, whenReady } from './embedded/postmaster.ts'
import { type ServerSettings, serverSettings, startServer } from './embedded/server.ts'

export { EmbeddedPostgresError } from './embedded/failure.ts'

/** How {@link startEmbeddedPostgres} is to start. */
export interface EmbeddedPostgresOptions {
  /** The folder for the database, its password and its port; made when missing. */
  dataDir: string
  /** The port to use at the first start, when it is free; later starts use the last one's first. */
  port?: number
  /** The database made at the first start. Default `workly`. */
  database?: string
  /** Where PostgreSQL's own messages go. Default `postgres.log` in the database folder. */
  logFile?: string
  /** For tests: nothing waits for the disk, so a crash of the machine may lose everything. Default false. */
  fast?: boolean
  /** PostgreSQL settings on top of Workly's. */
  settings?: ServerSettings
  /** Called with one sentence when the server goes away while it is in use. */
  onLost?: (reason: string) => void
  /** Where root's files go when `dataDir` is closed to the user who runs PostgreSQL. Default `/var/lib/workly`. */
  sharedHome?: string
}

/** A running server, used by this process. */
export interface EmbeddedPostgres {
  /** The connection URL of the database, with the superuser and the password. */
  url: string
  /** The URL of another database of the same server. */
  urlOf(database: string): string
  host: '127.0.0.1'
  port: number
  /** The server's process. */
  pid: number
  /** True when the server ran already: left behind by a Workly that was killed, or in use by another. */
  reused: boolean
  /** Where the database lies; differs from the asked folder only for root (see `note`). */
  home: string
  logFile: string
  /** One sentence to show at start when files lie elsewhere than asked. */
  note: string | undefined
  /** Stops the server, unless another process uses it: then it is left running and this resolves to false. */
  stop(): Promise<boolean>
}

/** How long one start may take in milliseconds; recovery after a crash reads up to `max_wal_size` of log. */
const START_LIMIT_MS = 120_000

/**
 * Starts PostgreSQL 18 from npm on 127.0.0.1, or takes over the one that already runs on the folder: after a
 * `kill -9` of Workly its server lives on. There is never more than one server on a folder.
 *
 * @throws {EmbeddedPostgresError} with one sentence for the person at the terminal
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const location = await chooseLocation(options.dataDir, findBinaries(), options.sharedHome ?? SHARED_HOME)
  const cluster = await openCluster(location, options.fast === true)
  const logFile = options.logFile ?? join(location.home, 'postgres.log')
  const server = new Server(location, cluster, logFile, options)
  const reused = await server.reachOrStart()
  return server.describe(reused)
}

/**
 * Removes a database for good: stops the server on the folder, whoever uses it, and deletes its files.
 * Nothing happens when there is none.
 *
 * @param dataDir as given to {@link startEmbeddedPostgres}
 * @throws {EmbeddedPostgresError} when the server cannot be stopped
 */
export async function removeEmbeddedPostgres(dataDir: string, sharedHome = SHARED_HOME): Promise<void> {
  if (!existsSync(dataDir)) return
  const { home } = await chooseLocation(dataDir, findBinaries(), sharedHome)
  const data = join(clusterOf(home), 'data')
  const running = await findPostmaster(data)
  if (running !== undefined) await stopPostmaster(running.pid, data, 5_000)
  for (const folder of new Set([home, dataDir]))
    await rm(folder, { recursive: true, force: true, maxRetries: 3 })
}

/** One server on one folder, from the first look to the stop. */
class Server {
  readonly #location: Location
  readonly #cluster: Cluster
  readonly #logFile: string
  readonly #options: EmbeddedPostgresOptions
  #port = 0
  #hold: Hold | undefined
  #stopped: Promise<boolean> | undefined

  constructor(location: Location, cluster: Cluster, logFile: string, options: EmbeddedPostgresOptions) {
    this.#location = location
    this.#cluster = cluster
    this.#logFile = logFile
    this.#options = options
  }

  /** Takes hold of the running server or starts one. True when it ran already. */
  async reachOrStart(): Promise<boolean> {
    const wanted = [this.#cluster.port, this.#options.port].filter(port => port !== undefined)
    // Each round ends in a server, an error, or another process having moved first; that settles in a round or two.
    for (let round = 0; round < 20; round++) {
      const running = await whenReady(this.#cluster.data, START_LIMIT_MS)
      if (running !== undefined) {
        if (await this.#takeOver(running.pid, running.port)) return true
        continue
      }
      const started = await startServer(
        this.#location,
        this.#cluster.data,
        await freePort(wanted),
        this.#logFile,
        serverSettings(this.#options.fast === true, this.#options.settings ?? {}),
        START_LIMIT_MS,
      )
      if (started.outcome === 'port-taken') wanted.length = 0
      else if (started.outcome === 'folder-taken') await delay(250)
      else if (await this.#takeOver(started.postmaster.pid, started.postmaster.port)) return false
    }
    throw new EmbeddedPostgresError(
      `PostgreSQL did not come up in ${this.#location.home}: look into ${this.#logFile}.`,
    )
  }

  /** False when the server went away, is being stopped by its last user, or had to be stopped. */
  async #takeOver(pid: number, port: number): Promise<boolean> {
    this.#port = port
    try {
      this.#hold = await takeHold(this.#url('postgres'), () => this.#lost())
    } catch (error) {
      const running = await whenReady(this.#cluster.data, START_LIMIT_MS)
      if (running?.pid !== pid) return false
      const code = error instanceof Error && 'code' in error ? error.code : undefined
      if (code === '28P01') {
        throw new EmbeddedPostgresError(
          `The password in ${this.#location.home}/cluster/password is not the database's: put the right one back, or remove the folder to begin anew.`,
        )
      }
      // Alive but not to be reached, for example out of connections: its clients died with the last Workly.
      await stopPostmaster(pid, this.#cluster.data)
      return false
    }
    if (this.#hold === undefined) {
      await delay(50)
      return false
    }
    if (this.#hold.pid !== pid) {
      throw new EmbeddedPostgresError(
        `Port ${port} belongs to another PostgreSQL than the one in ${this.#location.home}.`,
      )
    }
    try {
      await rememberPort(this.#location.home, port)
      await this.#hold.ensureDatabase(this.#options.database ?? 'workly')
    } catch (error) {
      await this.#stop(pid)
      throw explainFailure(String(error), this.#location.home, 'set up its database')
    }
    return true
  }

  describe(reused: boolean): EmbeddedPostgres {
    const pid = this.#hold?.pid ?? 0
    return {
      url: this.#url(this.#options.database ?? 'workly'),
      urlOf: database => this.#url(database),
      host: '127.0.0.1',
      port: this.#port,
      pid,
      reused,
      home: this.#location.home,
      logFile: this.#logFile,
      note: this.#location.note,
      stop: () => this.#stop(pid),
    }
  }

  #stop(pid: number): Promise<boolean> {
    this.#stopped ??= (async () => {
      const alone = (await this.#hold?.release()) ?? true
      if (alone) await stopPostmaster(pid, this.#cluster.data)
      return alone
    })()
    return this.#stopped
  }

  #lost(): void {
    this.#options.onLost?.(`PostgreSQL ended while it was in use: see ${this.#logFile}.`)
  }

  #url(database: string): string {
    return `postgres://postgres:${this.#cluster.password}@127.0.0.1:${this.#port}/${encodeURIComponent(database)}`
  }
}
