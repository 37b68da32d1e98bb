import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseCidrs } from '@workly/core'
import { createPrisma, createSql, migrate } from '@workly/db'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '@workly/db/embedded'
import { type LimitDefaults, readEncryptionKeys, type Services } from '@workly/services'
import type { Logger } from 'pino'
import { OPEN_NETWORKS } from './open-networks.ts'

const MIGRATIONS = fileURLToPath(new URL('../../../prisma/migrations', import.meta.url))

/** A migrated database of this machine and the services on it. */
export interface Ground {
  services: Services
  databaseUrl: string
  note: string | undefined
  reused: boolean
  /** Called when the database has had to come back on another port; the services are on it already. */
  onMoved: (databaseUrl: string) => void
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

function openPools(url: string): Pick<Services, 'sql' | 'prisma'> {
  return {
    sql: createSql(url, { max: 10, name: 'workly' }),
    prisma: createPrisma(url, { max: 5, name: 'workly' }),
  }
}

async function endPools({ sql, prisma }: Pick<Services, 'sql' | 'prisma'>): Promise<void> {
  await Promise.all([sql.end({ timeout: 5 }), prisma.$disconnect()])
}

/**
 * Starts PostgreSQL, brings its tables up to date and opens the services on it. A server that goes away while it is in
 * use is started again; where its port is taken by then, on another, and the services go there.
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
        log.warn({ port: again.port }, 'PostgreSQL runs again')
        if (again.url !== ground.databaseUrl) move(again.url)
      },
      error => {
        log.fatal({ err: error }, 'PostgreSQL cannot be started again')
        process.kill(process.pid, 'SIGTERM')
      },
    )
  }
  const move = (url: string) => {
    const before = { ...ground.services }
    // In place: whoever holds the services has the new ones with the next statement.
    Object.assign(ground.services, openPools(url))
    ground.databaseUrl = url
    endPools(before).catch(err => log.warn({ err }, 'old connections did not end well'))
    ground.onMoved(url)
  }
  let postgres = await startPostgres(dataDir, log, restart)
  await migrate(postgres.url, MIGRATIONS)
  const ground: Ground = {
    services: {
      ...openPools(postgres.url),
      encryption: readEncryptionKeys(encryptionKeys),
      limits,
      allowHttp: 'loopback',
      allowedPrivate: parseCidrs(OPEN_NETWORKS),
    },
    databaseUrl: postgres.url,
    note: postgres.note,
    reused: postgres.reused,
    onMoved: () => undefined,
    async end() {
      ending = true
      await endPools(ground.services)
      await postgres.stop()
    },
  }
  return ground
}
