import { createPrisma, createSql } from '@workly/db'
import type { Services } from '@workly/services'
import type { ApiEnvironment } from './env.ts'

/** What the process stands on, and how to let go of it. */
export interface Composition {
  services: Services
  /** Waits for statements under way, for a few seconds at most, and closes the connections. */
  end(): Promise<void>
}

export function compose(env: ApiEnvironment): Composition {
  const sql = createSql(env.databaseUrl, { max: 10, name: 'workly api' })
  const prisma = createPrisma(env.databaseUrl, { max: 5, name: 'workly api' })
  const { encryption, limits, allowHttp, allowedPrivate } = env
  return {
    services: { sql, prisma, encryption, limits, allowHttp, allowedPrivate },
    async end() {
      await Promise.all([sql.end({ timeout: 5 }), prisma.$disconnect()])
    },
  }
}
