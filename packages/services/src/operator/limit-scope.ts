import { notFound } from '@workly/core'
import type { Sql, TransactionSql } from '@workly/db'
import { LIMIT_KEYS, type LimitDefaults } from '../limits.ts'

/** Whose limits: an organization's, or one project's of it. Each by slug or id. */
export interface LimitScope {
  organization: string
  project?: string | undefined
}

/** What is set for an organization or a project; what is not set is not in it. */
export type LimitOverrides = Partial<LimitDefaults>

export interface LimitHolder {
  id: string
  slug: string
  name: string
  limits: unknown
}

/** The limits that are set in a row's column; whatever else stands there is left out. */
export function readOverrides(stored: unknown): LimitOverrides {
  if (typeof stored !== 'object' || stored === null) return {}
  const entries = LIMIT_KEYS.flatMap(key => {
    const value: unknown = (stored as Record<string, unknown>)[key]
    return typeof value === 'number' ? [[key, value] as const] : []
  })
  return Object.fromEntries(entries)
}

/** @throws WorklyError `not_found`, naming it */
export async function findOrganization(
  sql: Sql | TransactionSql,
  slugOrId: string,
  lock = false,
): Promise<LimitHolder> {
  const [row] = await sql<LimitHolder[]>`
    select id, slug, name, limits from organizations
    where deleted_at is null and ${slugOrId} in (slug, id) ${lock ? sql`for no key update` : sql``}`
  if (!row) throw notFound(`organization ${JSON.stringify(slugOrId)}`)
  return row
}

/** @throws WorklyError `not_found`, naming it */
export async function findProject(
  sql: Sql | TransactionSql,
  organization: LimitHolder,
  slugOrId: string,
  lock = false,
): Promise<LimitHolder> {
  const [row] = await sql<LimitHolder[]>`
    select id, slug, name, limits from projects
    where organization_id = ${organization.id} and deleted_at is null and ${slugOrId} in (slug, id)
    ${lock ? sql`for no key update` : sql``}`
  if (!row) throw notFound(`project ${JSON.stringify(slugOrId)} in the organization ${organization.slug}`)
  return row
}
