import { notFound, WorklyError } from '@workly/core'
import type { Sql, TransactionSql } from '@workly/db'
import { authorize, type Permission } from './authorize.ts'
import type { Context, ProjectContext } from './context.ts'
import type { ProjectDefaults } from './job/job-settings.ts'

/**
 * What belongs to the actor's tenant is said here and nowhere else (spec section 10): each query of a verb carries one
 * of these scopes, so a foreign id finds nothing.
 */
export function organizationScope(ctx: Context) {
  return { organization_id: ctx.organizationId }
}

export function projectScope(ctx: ProjectContext) {
  return { organization_id: ctx.organizationId, project_id: ctx.projectId }
}

/** The same as a condition of SQL. */
export function inOrganization(sql: Sql | TransactionSql, ctx: Context) {
  return sql`organization_id = ${ctx.organizationId}`
}

export function inProject(sql: Sql | TransactionSql, ctx: ProjectContext) {
  return sql`organization_id = ${ctx.organizationId} and project_id = ${ctx.projectId}`
}

/**
 * For what concerns the whole organization: an API key belongs to one project, so it is refused whatever its scope.
 * @throws WorklyError `forbidden`
 */
export function authorizeMember(ctx: Context, permission: Permission): void {
  if (ctx.actor.kind === 'apiKey') {
    throw new WorklyError('forbidden', 'This is for members of the organization, not for API keys.')
  }
  authorize(ctx, permission)
}

export interface OrganizationRow {
  id: string
  slug: string
  name: string
  created_at: Date
}

/**
 * Locks the organization's row, which puts changes of its members in one line: each sees the roles that the one before
 * it left. Inserts that refer to the organization go on.
 * @throws WorklyError `not_found` when it is gone
 */
export async function lockOrganization(sql: TransactionSql, ctx: Context): Promise<OrganizationRow> {
  const [row] = await sql<OrganizationRow[]>`
    select id, slug, name, created_at from organizations
    where id = ${ctx.organizationId} and deleted_at is null for no key update`
  if (!row) throw notFound('such organization')
  return row
}

export interface ProjectRow {
  id: string
  slug: string
  name: string
  default_settings: ProjectDefaults
  created_at: Date
}

/**
 * Locks the project's row, which puts changes of its keys and secrets in one line. Job rows are locked before it.
 * @throws WorklyError `not_found` when it is gone or another tenant's
 */
export async function lockProject(sql: TransactionSql, ctx: ProjectContext): Promise<ProjectRow> {
  const [row] = await sql<ProjectRow[]>`
    select id, slug, name, default_settings, created_at from projects
    where ${inOrganization(sql, ctx)} and id = ${ctx.projectId} and deleted_at is null for no key update`
  if (!row) throw notFound('such project')
  return row
}
