import { notFound } from '@workly/core'
import type { Context } from '../context.ts'
import { effectiveLimits, type LimitDefaults } from '../limits.ts'
import { authorizeMember } from '../tenant-scope.ts'
import { type Organization, shownOrganization } from './shown-organization.ts'

/** With the limits in force, which only the operator changes (spec section 8). */
export interface OrganizationWithLimits extends Organization {
  limits: LimitDefaults
}

/**
 * The actor's organization.
 * @throws WorklyError `forbidden` for an API key; `not_found` when it is deleted
 */
export async function getOrganization(ctx: Context): Promise<OrganizationWithLimits> {
  authorizeMember(ctx, 'read')
  const row = await ctx.services.prisma.organization.findFirst({
    where: { id: ctx.organizationId, deleted_at: null },
    select: { id: true, slug: true, name: true, created_at: true, limits: true },
  })
  if (!row) throw notFound('such organization')
  const role = ctx.actor.kind === 'user' ? ctx.actor.role : null
  return { ...shownOrganization(row, role), limits: effectiveLimits(ctx.services.limits, row.limits) }
}
