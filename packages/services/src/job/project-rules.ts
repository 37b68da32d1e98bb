import { notFound } from '@workly/core'
import type { TransactionSql } from '@workly/db'
import type { ProjectContext } from '../context.ts'
import { effectiveLimits, type LimitDefaults } from '../limits.ts'
import type { ProjectDefaults } from './job-settings.ts'

/** What the project fills in for settings that are not given, and the limits in force in it. */
export interface ProjectRules {
  defaults: ProjectDefaults
  limits: LimitDefaults
}

export async function projectRules(
  sql: ProjectContext['services']['sql'] | TransactionSql,
  ctx: ProjectContext,
): Promise<ProjectRules> {
  const [row] = await sql<{ defaults: ProjectDefaults; own: unknown; organization: unknown }[]>`
    select p.default_settings as defaults, p.limits as own, o.limits as organization
    from projects p join organizations o on o.id = p.organization_id
    where p.organization_id = ${ctx.organizationId} and p.id = ${ctx.projectId} and p.deleted_at is null`
  if (!row) throw notFound('such project')
  return { defaults: row.defaults, limits: effectiveLimits(ctx.services.limits, row.organization, row.own) }
}
