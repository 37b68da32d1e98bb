import { randomBytes } from 'node:crypto'
import { type Cidr, type HttpAllowance, type IdKind, newId } from '@workly/core'
import type { PrismaClient, Sql, TransactionSql } from '@workly/db'
import type { EncryptionKeys } from './encryption.ts'
import type { LimitDefaults } from './limits.ts'

/** What a member may do, least first (spec section 10). */
export const ROLES = ['viewer', 'operator', 'developer', 'admin', 'owner'] as const
export type Role = (typeof ROLES)[number]

/** What an API key may do; each contains the one before (spec section 8). */
export const SCOPES = ['read', 'run', 'write'] as const
export type Scope = (typeof SCOPES)[number]

/** Who does it. The system acts for the operator's commands and for the seed. */
export type Actor =
  | { kind: 'user'; id: string; name: string; role: Role }
  | { kind: 'apiKey'; id: string; name: string; scope: Scope }
  | { kind: 'system'; name: string }

/** What every verb stands on, made once per process by its composition. */
export interface Services {
  sql: Sql
  prisma: PrismaClient
  encryption: EncryptionKeys
  limits: LimitDefaults
  /** `WORKLY_ALLOW_HTTP`: http: targets are taken. */
  allowHttp: HttpAllowance
  /** `WORKLY_ALLOWED_PRIVATE_TARGETS`: private networks that may be called. */
  allowedPrivate: readonly Cidr[]
  /** A hand-driven clock for tests; absent: the database's clock, which decides what is due. */
  clock?: () => Date
}

/** Who acts, and within which tenant: every query of a verb is scoped by it. */
export interface Context {
  services: Services
  organizationId: string
  actor: Actor
  requestId: string | null
}

/** A context within one project. */
export interface ProjectContext extends Context {
  projectId: string
}

/** The instant a transaction reckons with, cut to the millisecond: the database's clock, or the test's. */
export async function readClock(services: Services, sql: Sql | TransactionSql): Promise<Date> {
  if (services.clock) return services.clock()
  const [row] = await sql<{ now: Date }[]>`select date_trunc('milliseconds', clock_timestamp()) as now`
  if (!row) throw new Error('the database did not tell the time')
  return row.now
}

/** The same clock as a part of a statement, read while the statement runs. */
export function clockWithin(services: Services, sql: Sql | TransactionSql) {
  return services.clock ? sql`${services.clock()}::timestamptz` : sql`clock_timestamp()`
}

let lastAt = Number.NaN
let lastRandom = randomBytes(10)

/** Adds one to a big-endian number in place. */
function increment(bytes: Uint8Array): void {
  for (let i = bytes.length - 1; i >= 0; i--) {
    const next = ((bytes[i] ?? 0) + 1) & 0xff
    bytes[i] = next
    if (next !== 0) return
  }
}

/**
 * A new typed id that sorts by `at`; those that this process makes for one millisecond sort in the order of their
 * making, so that lists ordered by id show a batch as it came to be.
 */
export function freshId(kind: IdKind, at: Date): string {
  const ms = at.getTime()
  if (ms === lastAt) {
    increment(lastRandom)
  } else {
    lastAt = ms
    lastRandom = randomBytes(10)
    // Room to count on: half a million million ids in one millisecond.
    lastRandom[0] = (lastRandom[0] ?? 0) & 0x7f
  }
  return newId(kind, ms, lastRandom)
}
