import { randomBytes } from 'node:crypto'
import { WorklyError } from '@workly/core'
import { createPrisma, type Sql } from '@workly/db'
import { createTestDatabase } from '@workly/db/testing'
import { expect, vi } from 'vitest'
import {
  type Actor,
  type Context,
  type ProjectContext,
  ROLES,
  type Role,
  SCOPES,
  type Services,
} from '../src/context.ts'
import { readEncryptionKeys } from '../src/encryption.ts'
import { LIMIT_DEFAULTS } from '../src/limits.ts'
import { createOrganization } from '../src/organization/create-organization.ts'
import { createProject } from '../src/project/create-project.ts'
import { createUser, type User } from '../src/user/create-user.ts'

export const HOUR_MS = 3_600_000
export const DAY_MS = 24 * HOUR_MS

/** Services on a database of their own, with a clock that only moves by hand. */
export interface TestServices {
  services: Services
  sql: Sql
  url: string
  /** `WORKLY_ENCRYPTION_KEYS`, for other processes on the same database. */
  encryptionKeys: string
  now(): Date
  advance(ms: number): void
  drop(): Promise<void>
}

export async function openServices(): Promise<TestServices> {
  const database = await createTestDatabase()
  const prisma = createPrisma(database.url, { max: 2 })
  let now = Date.parse('2027-01-15T12:00:00Z')
  const encryptionKeys = `test:${randomBytes(32).toString('base64')}`
  const services: Services = {
    sql: database.sql,
    prisma,
    encryption: readEncryptionKeys(encryptionKeys),
    limits: LIMIT_DEFAULTS,
    allowHttp: false,
    allowedPrivate: [],
    clock: () => new Date(now),
  }
  return {
    services,
    sql: database.sql,
    url: database.url,
    encryptionKeys,
    now: () => new Date(now),
    advance(ms) {
      now += ms
    },
    async drop() {
      await prisma.$disconnect()
      await database.drop()
    },
  }
}

let made = 0
/** A word that no other test of the file has. */
export function fresh(word: string): string {
  made += 1
  return `${word}-${made}`
}

/** A person without a password, since hashing one takes its time. */
export function makeUser(services: Services, email = `${fresh('person')}@example.com`): Promise<User> {
  return createUser(services, { email })
}

/** An organization with a project, and a member of each role. */
export interface Tenant {
  organizationId: string
  projectId: string
  /** The context of the member with that role. */
  as(role: Role): ProjectContext
  /** The id of the member with that role. */
  userOf(role: Role): string
}

export async function makeTenant(services: Services): Promise<Tenant> {
  const owner = await makeUser(services)
  const slug = fresh('tenant')
  const organization = await createOrganization(services, owner.id, { slug, name: slug }, null)
  const contextOf = (userId: string, role: Role): Context => ({
    services,
    organizationId: organization.id,
    actor: { kind: 'user', id: userId, name: role, role },
    requestId: 'rqs_test',
  })
  const members = new Map<Role, string>([['owner', owner.id]])
  for (const role of ROLES) {
    if (role !== 'owner') members.set(role, await addMember(services, organization.id, role))
  }
  const { project } = await createProject(contextOf(owner.id, 'owner'), { slug: 'main', name: 'Main' })
  const userOf = (role: Role): string => members.get(role) ?? ''
  return {
    organizationId: organization.id,
    projectId: project.id,
    userOf,
    as: role => ({ ...contextOf(userOf(role), role), projectId: project.id }),
  }
}

/** One more member, not by invitation. */
export async function addMember(services: Services, organizationId: string, role: Role): Promise<string> {
  const user = await makeUser(services)
  await services.sql`
    insert into memberships ${services.sql({ organization_id: organizationId, user_id: user.id, role })}`
  return user.id
}

export function asUser(ctx: ProjectContext, userId: string, role: Role): ProjectContext {
  return { ...ctx, actor: { kind: 'user', id: userId, name: role, role } }
}

/**
 * Calls a verb as each role and as a key of each scope.
 * @returns who was not refused with `forbidden`: roles, and scopes as `key:read`
 */
export async function whoMay(
  tenant: Tenant,
  verb: (ctx: ProjectContext) => Promise<unknown>,
): Promise<string[]> {
  const keys = SCOPES.map((scope): [string, Actor] => [
    `key:${scope}`,
    { kind: 'apiKey', id: 'key_0', name: scope, scope },
  ])
  const roles = ROLES.map((role): [string, Actor] => [role, tenant.as(role).actor])
  const allowed: string[] = []
  for (const [name, actor] of [...roles, ...keys]) {
    const refused = await verb({ ...tenant.as('owner'), actor }).then(
      () => false,
      (error: unknown) => {
        if (error instanceof WorklyError && error.code === 'forbidden') return true
        throw error
      },
    )
    if (!refused) allowed.push(name)
  }
  return allowed
}

export const MEMBERS = [...ROLES]
export const ADMINS = ['admin', 'owner']

/** The organization's audit log as it is stored, oldest first. */
export function auditRows(sql: Sql, organizationId: string) {
  return sql<
    {
      action: string
      subject_id: string
      actor_name: string
      before: unknown
      after: unknown
      request_id: string | null
    }[]
  >`
    select * from audit_entries where organization_id = ${organizationId} order by created_at, id`
}

/**
 * Runs what changes an organization's members truly at once: each gets as far as its first write of a membership or an
 * invitation, or as far as another lets it, before any may go on.
 */
export async function race(
  t: TestServices,
  organizationId: string,
  actions: (() => Promise<unknown>)[],
): Promise<PromiseSettledResult<unknown>[]> {
  const held = Promise.withResolvers<void>()
  const release = Promise.withResolvers<void>()
  const holder = t.sql.begin(async sql => {
    await sql`select 1 from memberships where organization_id = ${organizationId} for update`
    await sql`select 1 from invitations where organization_id = ${organizationId} for update`
    held.resolve()
    await release.promise
  })
  await held.promise
  const results = Promise.allSettled(actions.map(action => action()))
  try {
    await vi.waitFor(
      async () => {
        const [row] = await t.sql<{ waiting: number }[]>`
          select count(*)::int as waiting from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock'`
        expect(row?.waiting).toBe(actions.length)
      },
      { timeout: 20_000 },
    )
  } finally {
    release.resolve()
    await holder
  }
  return results
}
