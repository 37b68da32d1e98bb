import { PrismaPg } from '@prisma/adapter-pg'
import { PrismaClient } from './generated/client.ts'

/** Settings of {@link createPrisma}. */
export interface PrismaOptions {
  /** The most connections the pool opens. Default 10. */
  max?: number
  /** Shown in `pg_stat_activity.application_name`. Default `workly`. */
  name?: string
}

/**
 * Prisma's client over a pool of `pg`. A transaction lives wholly on it or wholly on {@link createSql}'s pool.
 * End it with `$disconnect()`.
 *
 * @param url `postgres://user:password@host:port/database`
 */
export function createPrisma(url: string, options: PrismaOptions = {}): PrismaClient {
  const adapter = new PrismaPg({
    connectionString: url,
    max: options.max ?? 10,
    application_name: options.name ?? 'workly',
    connectionTimeoutMillis: 10_000,
    // The adapter sends instants without an offset and drops the one it reads: only right when the session is in UTC.
    options: '-c TimeZone=UTC',
  })
  return new PrismaClient({ adapter })
}
