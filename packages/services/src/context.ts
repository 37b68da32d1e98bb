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

/** A new typed id that sorts by `at`. */
export function freshId(kind: IdKind, at: Date): string {
  return newId(kind, at.getTime(), randomBytes(10))
}
