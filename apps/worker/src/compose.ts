import { createPrisma, createSql } from '@workly/db'
import type { Services, ServicesEnvironment } from '@workly/services'

/**
 * A worker's statements all go by an index. Their plans are kept, and one made while a table was small would scan it
 * whole for as long as the connection lives, however large it grows; so scans are not to be chosen. Compiling plans
 * (jit) costs more than any of these statements.
 */
const STEADY_PLANS = { enable_seqscan: 'off', jit: 'off' }

/** What the process stands on, and how to let go of it. */
export interface Composition {
  services: Services
  end(): Promise<void>
}

export function compose(env: ServicesEnvironment): Composition {
  const { databaseUrl, ...settings } = env
  const sql = createSql(databaseUrl, { max: 10, name: 'workly worker', settings: STEADY_PLANS })
  const prisma = createPrisma(databaseUrl, { max: 1, name: 'workly worker' })
  return {
    services: { sql, prisma, ...settings },
    async end() {
      await Promise.all([sql.end({ timeout: 5 }), prisma.$disconnect()])
    },
  }
}
