import { notFound, readWire, WorklyError } from '@workly/core'
import type { TransactionSql } from '@workly/db'
import { z } from 'zod'
import { audit } from '../audit.ts'
import { type Context, freshId, readClock, type Services } from '../context.ts'
import { displayName } from '../display-name.ts'
import { slug } from '../slug.ts'
import type { OrganizationRow } from '../tenant-scope.ts'
import { type Organization, shownOrganization } from './shown-organization.ts'

export const organizationCreate = z.strictObject({ slug, name: displayName })

/**
 * Founds an organization; the person who does is its owner.
 * @throws WorklyError `invalid_request`; `conflict` when the slug is taken; `not_found` for an unknown user
 */
export async function createOrganization(
  services: Services,
  userId: string,
  input: z.input<typeof organizationCreate>,
  requestId: string | null,
): Promise<Organization> {
  const settings = readWire(organizationCreate, input)
  return services.sql.begin(async sql => {
    const [user] = await sql<{ email: string; name: string | null }[]>`
      select email, name from users where id = ${userId}`
    if (!user) throw notFound('such user')
    const at = await readClock(services, sql)
    const ctx: Context = {
      services,
      organizationId: freshId('organization', at),
      actor: { kind: 'user', id: userId, name: user.name ?? user.email, role: 'owner' },
      requestId,
    }
    const row = await insertOrganization(sql, ctx, at, { ...settings, ownerId: userId, limits: {} })
    if (!row) throw new WorklyError('conflict', `The slug ${settings.slug} is taken. Choose another.`)
    return shownOrganization(row, 'owner')
  })
}

/** Writes the organization that `ctx` names, with its first owner; undefined where the slug is taken. */
export async function insertOrganization(
  sql: TransactionSql,
  ctx: Context,
  at: Date,
  settings: { slug: string; name: string; ownerId: string; limits: object },
): Promise<OrganizationRow | undefined> {
  const row: OrganizationRow = {
    id: ctx.organizationId,
    slug: settings.slug,
    name: settings.name,
    created_at: at,
  }
  const inserted = await sql`
    insert into organizations ${sql({ ...row, limits: sql.json(settings.limits as never) })}
    on conflict (slug) do nothing returning id`
  if (inserted.length === 0) return undefined
  await sql`
    insert into memberships ${sql({ organization_id: row.id, user_id: settings.ownerId, role: 'owner', created_at: at })}`
  await audit(sql, ctx, at, {
    action: 'organization.create',
    subject: { kind: 'organization', id: row.id, name: row.name },
    after: { slug: row.slug, name: row.name, owner: settings.ownerId, limits: settings.limits },
  })
  return row
}
