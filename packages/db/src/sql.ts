import postgres from 'postgres'

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
}

/**
 * Opens a pool; it connects at the first statement. End it with `sql.end()`.
 *
 * `int8` columns (counts, versions, milliseconds) come as numbers. One beyond 2^53 fails its statement with a
 * RangeError rather than being rounded.
 *
 * @param url `postgres://user:password@host:port/database`
 */
export function createSql(url: string, options: SqlOptions): Sql {
  return postgres(url, {
    max: options.max,
    prepare: options.prepare ?? true,
    connect_timeout: 10,
    // Seconds before a lost connection is opened again. The default grows to 20, and a worker has only its lease.
    backoff: (tries: number) => Math.min(2 ** tries / 20, 1),
    idle_timeout: options.idleSeconds,
    connection: { application_name: options.name, TimeZone: 'UTC', ...options.settings },
    onnotice: options.onnotice ?? (() => undefined),
    types: {
      bigint: { to: 20, from: [20], parse: parseBigint, serialize: (value: number) => String(value) },
    },
  })
}

function parseBigint(text: string): number {
  const value = Number(text)
  if (!Number.isSafeInteger(value)) throw new RangeError(`int8 ${text} is beyond what a number holds exactly`)
  return value
}
