import { readWire, WorklyError } from '@workly/core'
import type { TransactionSql } from '@workly/db'
import { insertApiKey } from '../api-key/create-api-key.ts'
import { matchesSecret, newApiKeyText, readKeyText } from '../api-key/key-text.ts'
import { type Context, freshId, type ProjectContext, readClock, type Services } from '../context.ts'
import { insertProject } from '../project/create-project.ts'
import { insertUser, userCreate } from '../user/create-user.ts'
import { hashPassword, matchesPassword } from '../user/password-hash.ts'
import { insertOrganization } from './create-organization.ts'

export interface DemoSeed {
  email: string
  /** Set when the account is made; an account that exists keeps its own. */
  password: string
  /** The text of the key to have, by {@link newApiKeyText}; absent: one is made where the project has none. */
  apiKey?: string
}

export interface Demo {
  userId: string
  organizationId: string
  projectId: string
  /** False when the account's password has been changed since. */
  passwordFits: boolean
  /** The key's text: the one given, or one made just now; null where none was given and the project has one. */
  apiKey: string | null
  /** False when the given key was revoked since. */
  apiKeyLive: boolean
  /** `whsec_…`, when the project was made just now. */
  signingSecret: string | null
}

/** Schedules of the demo organization may be as close as this (spec section 8). */
const DEMO_LIMITS = { shortest_interval_seconds: 1 }

/** Two processes that start at once seed one after the other. */
const SEED_LOCK = 72_707_370

/**
 * What the embedded default starts with: a user, an organization and a project of the slug `demo`, a signing secret and
 * an API key (spec section 14). What is there stays as it is, so it may run at every start.
 * @throws WorklyError `invalid_request`; `conflict` when the key's id belongs to another key
 */
export async function seedDemo(services: Services, seed: DemoSeed): Promise<Demo> {
  const { email, password } = readWire(userCreate, { email: seed.email, password: seed.password })
  return services.sql.begin(async sql => {
    await sql`select pg_advisory_xact_lock(${SEED_LOCK})`
    const at = await readClock(services, sql)
    const user = await seedUser(sql, at, email, password ?? '')
    const ctx = await seedOrganization(sql, services, at, user.id)
    const project = await seedProject(sql, ctx, at)
    const inside: ProjectContext = { ...ctx, projectId: project.id }
    return {
      userId: user.id,
      organizationId: ctx.organizationId,
      projectId: project.id,
      passwordFits: user.passwordFits,
      signingSecret: project.signingSecret,
      ...(await seedKey(sql, inside, at, seed.apiKey)),
    }
  })
}

async function seedUser(sql: TransactionSql, at: Date, email: string, password: string) {
  const [found] = await sql<{ id: string; password_hash: string | null }[]>`
    select id, password_hash from users where email = ${email}`
  if (found) return { id: found.id, passwordFits: await matchesPassword(password, found.password_hash) }
  const passwordHash = await hashPassword(password)
  const user = await insertUser(sql, at, { email, name: 'Demo', email_verified: true, passwordHash })
  if (!user) throw new WorklyError('conflict', `${email} was made by another process just now. Start again.`)
  return { id: user.id, passwordFits: true }
}

async function seedOrganization(
  sql: TransactionSql,
  services: Services,
  at: Date,
  userId: string,
): Promise<Context> {
  const [found] = await sql<
    { id: string }[]
  >`select id from organizations where slug = 'demo' and deleted_at is null`
  const ctx: Context = {
    services,
    organizationId: found?.id ?? freshId('organization', at),
    actor: { kind: 'system', name: 'seed' },
    requestId: null,
  }
  if (found) return ctx
  const settings = { slug: 'demo', name: 'Demo', ownerId: userId, limits: DEMO_LIMITS }
  if (!(await insertOrganization(sql, ctx, at, settings))) {
    throw new WorklyError(
      'conflict',
      'The organization demo was made by another process just now. Start again.',
    )
  }
  return ctx
}

async function seedProject(sql: TransactionSql, ctx: Context, at: Date) {
  const [found] = await sql<{ id: string }[]>`
    select id from projects where organization_id = ${ctx.organizationId} and slug = 'demo' and deleted_at is null`
  if (found) return { id: found.id, signingSecret: null }
  const made = await insertProject(sql, ctx, at, { slug: 'demo', name: 'Demo' })
  if (!made)
    throw new WorklyError('conflict', 'The project demo was made by another process just now. Start again.')
  return { id: made.project.id, signingSecret: made.secret }
}

async function seedKey(sql: TransactionSql, ctx: ProjectContext, at: Date, given: string | undefined) {
  const keys = await sql<{ id: string; secret_hash: Buffer; revoked_at: Date | null }[]>`
    select id, secret_hash, revoked_at from api_keys
    where organization_id = ${ctx.organizationId} and project_id = ${ctx.projectId}`
  if (given === undefined && keys.length > 0) return { apiKey: null, apiKeyLive: false }
  const text = given ?? newApiKeyText(at)
  const parts = readKeyText(text)
  const found = keys.find(key => key.id === parts?.id)
  if (found && parts && matchesSecret(parts.secret, found.secret_hash)) {
    return { apiKey: text, apiKeyLive: found.revoked_at === null }
  }
  const made = await insertApiKey(sql, ctx, at, text, { name: 'Demo key', scope: 'write', expiresAt: null })
  if (!made) throw new WorklyError('conflict', 'The id of the API key belongs to another key.')
  return { apiKey: text, apiKeyLive: true }
}
