import { createPrisma, createSql } from '@workly/db'
import type { Services } from '@workly/services'
import type { ApiEnvironment } from './env.ts'

/** A connection that is half open is given up after this, in milliseconds. */
const ANSWER_WITHIN_MS = 30_000

/** What the process stands on, and how to let go of it. */
export interface Composition {
  services: Services
  /** Waits for statements under way, for a few seconds at most, and closes the connections. */
  end(): Promise<void>
}

export function compose(env: ApiEnvironment): Composition {
  const sql = createSql(env.databaseUrl, { max: 10, name: 'workly api', answerWithinMs: ANSWER_WITHIN_MS })
  const prisma = createPrisma(env.databaseUrl, {
    max: 5,
    name: 'workly api',
    answerWithinMs: ANSWER_WITHIN_MS,
  })
  const { encryption, limits, allowHttp, allowedPrivate } = env
  return {
    services: { sql, prisma, encryption, limits, allowHttp, allowedPrivate },
    async end() {
      await Promise.all([sql.end({ timeout: 5 }), prisma.$disconnect()])
    },
  }
}
