import type { Duplex } from 'node:stream'
import { answeredConnections, createPrisma, createSql } from '@workly/db'
import type { Services, ServicesEnvironment } from '@workly/services'

/**
 * A worker's statements all go by an index. Their plans are kept, and one made while a table was small would scan it
 * whole for as long as the connection lives, however large it grows; so scans are not to be chosen. Compiling plans
 * (jit) costs more than any of these statements.
 */
const STEADY_PLANS = { enable_seqscan: 'off', jit: 'off' }

/**
 * A connection that is half open is given up after this, in milliseconds, so that the worker goes on within 30 s. All
 * of its statements take less, and who holds a lock that they wait for lets go of it sooner.
 */
const ANSWER_WITHIN_MS = 15_000

/** What the process stands on, and how to let go of it. */
export interface Composition {
  services: Services
  /** Opens connections for the pool of graphile-worker. */
  openSocket(): Duplex
  end(): Promise<void>
}

export function compose(env: ServicesEnvironment): Composition {
  const { databaseUrl, ...settings } = env
  const sql = createSql(databaseUrl, {
    max: 10,
    name: 'workly worker',
    settings: STEADY_PLANS,
    answerWithinMs: ANSWER_WITHIN_MS,
  })
  const prisma = createPrisma(databaseUrl, {
    max: 1,
    name: 'workly worker',
    answerWithinMs: ANSWER_WITHIN_MS,
  })
  return {
    services: { sql, prisma, ...settings },
    openSocket: answeredConnections(databaseUrl, ANSWER_WITHIN_MS),
    async end() {
      await Promise.all([sql.end({ timeout: 5 }), prisma.$disconnect()])
    },
  }
}
