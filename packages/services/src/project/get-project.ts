import { notFound } from '@workly/core'
import type { Context } from '../context.ts'
import { effectiveLimits, type LimitDefaults } from '../limits.ts'
import { authorizeMember, type ProjectRow } from '../tenant-scope.ts'
import { type Project, shownProject } from './shown-project.ts'

/** With the limits in force, which only the operator changes (spec section 8). */
export interface ProjectWithLimits extends Project {
  limits: LimitDefaults
}

/**
 * A project of the organization.
 * @param idOrSlug either; a slug is never an id
 * @throws WorklyError `forbidden` for an API key; `not_found`
 */
export async function getProject(ctx: Context, idOrSlug: string): Promise<ProjectWithLimits> {
  authorizeMember(ctx, 'read')
  const { services, organizationId } = ctx
  const [row] = await services.sql<(ProjectRow & { limits: unknown; organization_limits: unknown })[]>`
    select p.id, p.slug, p.name, p.default_settings, p.created_at, p.limits, o.limits as organization_limits
    from projects p join organizations o on o.id = p.organization_id
    where p.organization_id = ${organizationId} and p.deleted_at is null and ${idOrSlug} in (p.id, p.slug)`
  if (!row) throw notFound('such project')
  return {
    ...shownProject(row),
    limits: effectiveLimits(services.limits, row.organization_limits, row.limits),
  }
}
