import type { Duplex } from 'node:stream'
import postgres from 'postgres'
import { againAfterDeadlock } from './again-after-deadlock.ts'
import { answeredConnections } from './answered-stream.ts'

/** How JavaScript values go into statements and come out of rows: `bigint` is a number both ways. */
type Types = { bigint: number }

/**
 * A pool of connections of postgres.js, for set-based statements.
 * `timestamptz` is a `Date`, `int8` a number, `numeric` a string, `jsonb` parsed.
 */
export type Sql = postgres.Sql<Types>

/** The same inside a transaction (`sql.begin`). */
export type TransactionSql = postgres.TransactionSql<Types>

/** Settings of {@link createSql}. */
export interface SqlOptions {
  /** The most connections the pool opens. */
  max: number
  /** Shown in `pg_stat_activity.application_name`. */
  name: string
  /** Called with the server's notices; by default they are dropped. */
  onnotice?: (notice: postgres.Notice) => void
  /** Seconds after which an unused connection is closed; by default it is kept. */
  idleSeconds?: number
  /** PostgreSQL settings for every connection, such as `{ jit: 'off' }`. */
  settings?: Readonly<Record<string, string>>
  /** False behind a pooler that does not keep a session per connection. Default true. */
  prepare?: boolean
  /**
   * Milliseconds within which the server must answer; a connection on which it does not is given up, its statements
   * fail, and another is opened. Longer than any statement may take. Absent: however long it takes.
   */
  answerWithinMs?: number
}

/**
 * Whoever falls silent in the middle of a transaction (a frozen process, a connection that is half open) holds its locks
 * no longer than this, in milliseconds. Nothing here waits for anything else while it is in one.
 */
export const SILENT_IN_TRANSACTION_MS = 10_000

/**
 * Opens a pool; it connects at the first statement. End it with `sql.end()`.
 *
 * A transaction (`sql.begin`) that PostgreSQL rolls back to break a circle of locks is done again, so what it does besides
 * the database must bear that.
 *
 * `int8` columns (counts, versions, milliseconds) come as numbers. One beyond 2^53 fails its statement with a
 * RangeError rather than being rounded.
 *
 * @param url `postgres://user:password@host:port/database`
 */
export function createSql(url: string, options: SqlOptions): Sql {
  const { answerWithinMs } = options
  const connection: Record<string, string> = {
    application_name: options.name,
    TimeZone: 'UTC',
    idle_in_transaction_session_timeout: String(SILENT_IN_TRANSACTION_MS),
    ...options.settings,
  }
  const settings = {
    max: options.max,
    ...(answerWithinMs !== undefined && { socket: openers(url, answerWithinMs) }),
    prepare: options.prepare ?? true,
    connect_timeout: 10,
    // Seconds before a lost connection is opened again. The default grows to 20, and a worker has only its lease.
    backoff: (tries: number) => Math.min(2 ** tries / 20, 1),
    idle_timeout: options.idleSeconds,
    connection,
    onnotice: options.onnotice ?? (() => undefined),
    types: {
      bigint: { to: 20, from: [20], parse: parseBigint, serialize: (value: number) => String(value) },
    },
  }
  const sql = postgres(url, settings)
  const begin = sql.begin.bind(sql) as (...args: unknown[]) => Promise<unknown>
  return Object.assign(sql, {
    begin: (...args: unknown[]) => againAfterDeadlock(() => begin(...args)),
  }) as Sql
}

/** Where a connection may lead, as postgres.js has read it from the URL. */
interface Ways {
  host: string[]
  port: number[]
  path?: string | false
}

/** Opens sockets for postgres.js: to one host after the other where the URL names several, as it does itself. */
function openers(url: string, answerWithinMs: number): (ways: Ways) => Duplex {
  const open = answeredConnections(url, answerWithinMs)
  let next = 0
  return ({ host, port, path }) => {
    const index = next++ % host.length
    const socket = open()
    if (path) return socket.connect({ path })
    // By its name postgres.js has TLS ask for the certificate.
    return Object.assign(socket.connect({ port: port[index] ?? 5432, host: host[index] ?? 'localhost' }), {
      host: host[index],
      port: port[index],
    })
  }
}

function parseBigint(text: string): number {
  const value = Number(text)
  if (!Number.isSafeInteger(value)) throw new RangeError(`int8 ${text} is beyond what a number holds exactly`)
  return value
}
