import { PrismaPg } from '@prisma/adapter-pg'
import { answeredConnections } from './answered-stream.ts'
import { PrismaClient } from './generated/client.ts'
import { SILENT_IN_TRANSACTION_MS } from './sql.ts'

/** Settings of {@link createPrisma}. */
export interface PrismaOptions {
  /** The most connections the pool opens. Default 10. */
  max?: number
  /** Shown in `pg_stat_activity.application_name`. Default `workly`. */
  name?: string
  /** As in {@link createSql}. */
  answerWithinMs?: number
}

/**
 * Prisma's client over a pool of `pg`. A transaction lives wholly on it or wholly on {@link createSql}'s pool.
 * End it with `$disconnect()`.
 *
 * @param url `postgres://user:password@host:port/database`
 */
export function createPrisma(url: string, options: PrismaOptions = {}): PrismaClient {
  const { answerWithinMs } = options
  const adapter = new PrismaPg({
    connectionString: url,
    max: options.max ?? 10,
    application_name: options.name ?? 'workly',
    connectionTimeoutMillis: 10_000,
    // The adapter sends instants without an offset and drops the one it reads: only right when the session is in UTC.
    options: `-c TimeZone=UTC -c idle_in_transaction_session_timeout=${SILENT_IN_TRANSACTION_MS}`,
    ...(answerWithinMs !== undefined && { stream: answeredConnections(url, answerWithinMs) }),
  })
  return new PrismaClient({ adapter })
}
