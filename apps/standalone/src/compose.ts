import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseCidrs } from '@workly/core'
import { createPrisma, createSql, migrate } from '@workly/db'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '@workly/db/embedded'
import { type LimitDefaults, readEncryptionKeys, type Services } from '@workly/services'
import type { Logger } from 'pino'

const MIGRATIONS = fileURLToPath(new URL('../../../prisma/migrations', import.meta.url))

/** Networks that the embedded default may call, since it listens on loopback only (spec section 7). */
export const OPEN_NETWORKS = '127.0.0.0/8,::1/128'

/** A migrated database of this machine and the services on it. */
export interface Ground {
  services: Services
  databaseUrl: string
  note: string | undefined
  reused: boolean
  end(): Promise<void>
}

async function startPostgres(dataDir: string, log: Logger, lost: () => void): Promise<EmbeddedPostgres> {
  return startEmbeddedPostgres({
    dataDir: join(dataDir, 'postgres'),
    logFile: join(dataDir, 'postgres.log'),
    onLost: reason => {
      log.error({ reason }, 'PostgreSQL went away')
      lost()
    },
  })
}

/**
 * Starts PostgreSQL, brings its tables up to date and opens the services on it. A server that goes away while it is in
 * use is started again.
 */
export async function layGround(
  dataDir: string,
  encryptionKeys: string,
  limits: LimitDefaults,
  log: Logger,
): Promise<Ground> {
  await mkdir(dataDir, { recursive: true })
  let ending = false
  const restart = () => {
    if (ending) return
    startPostgres(dataDir, log, restart).then(
      again => {
        postgres = again
        log.warn('PostgreSQL runs again')
      },
      error => {
        log.fatal({ err: error }, 'PostgreSQL cannot be started again')
        process.kill(process.pid, 'SIGTERM')
      },
    )
  }
  let postgres = await startPostgres(dataDir, log, restart)
  await migrate(postgres.url, MIGRATIONS)
  const sql = createSql(postgres.url, { max: 10, name: 'workly' })
  const prisma = createPrisma(postgres.url, { max: 5, name: 'workly' })
  return {
    services: {
      sql,
      prisma,
      encryption: readEncryptionKeys(encryptionKeys),
      limits,
      allowHttp: 'loopback',
      allowedPrivate: parseCidrs(OPEN_NETWORKS),
    },
    databaseUrl: postgres.url,
    note: postgres.note,
    reused: postgres.reused,
    async end() {
      ending = true
      await Promise.all([sql.end({ timeout: 5 }), prisma.$disconnect()])
      await postgres.stop()
    },
  }
}
