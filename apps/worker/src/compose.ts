import { createPrisma, createSql } from '@workly/db'
import type { Services, ServicesEnvironment } from '@workly/services'

/** What the process stands on, and how to let go of it. */
export interface Composition {
  services: Services
  end(): Promise<void>
}

export function compose(env: ServicesEnvironment): Composition {
  const { databaseUrl, ...settings } = env
  const sql = createSql(databaseUrl, { max: 10, name: 'workly worker' })
  const prisma = createPrisma(databaseUrl, { max: 1, name: 'workly worker' })
  return {
    services: { sql, prisma, ...settings },
    async end() {
      await Promise.all([sql.end({ timeout: 5 }), prisma.$disconnect()])
    },
  }
}
