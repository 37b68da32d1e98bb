import type { Services } from '../context.ts'
import { effectiveLimits, type LimitDefaults } from '../limits.ts'
import {
  findOrganization,
  findProject,
  type LimitHolder,
  type LimitOverrides,
  type LimitScope,
  readOverrides,
} from './limit-scope.ts'

/** The limits of an organization or a project. */
export interface ListedLimits {
  organization: string
  /** Null: the organization's own. */
  project: string | null
  /** What is set here. */
  set: LimitOverrides
  /** What holds here, with what is set above and the defaults. */
  inForce: LimitDefaults
}

/**
 * Limits for the operator: of one organization or project, or without a scope of all those that have some set.
 * @throws WorklyError `not_found`
 */
export async function listLimits(services: Services, scope?: LimitScope): Promise<ListedLimits[]> {
  const { sql } = services
  if (!scope) return listSet(services)
  const organization = await findOrganization(sql, scope.organization)
  if (scope.project === undefined) return [listed(services, organization, null)]
  return [listed(services, organization, await findProject(sql, organization, scope.project))]
}

function listed(services: Services, organization: LimitHolder, project: LimitHolder | null): ListedLimits {
  const own = readOverrides(organization.limits)
  const set = project ? readOverrides(project.limits) : own
  return {
    organization: organization.slug,
    project: project?.slug ?? null,
    set,
    inForce: effectiveLimits(services.limits, own, set),
  }
}

async function listSet(services: Services): Promise<ListedLimits[]> {
  const { sql } = services
  const organizations = await sql<(LimitHolder & { projects: LimitHolder[] })[]>`
    select o.id, o.slug, o.name, o.limits, coalesce(json_agg(
      json_build_object('id', p.id, 'slug', p.slug, 'name', p.name, 'limits', p.limits) order by p.slug
    ) filter (where p.id is not null), '[]') as projects
    from organizations o
    left join projects p on p.organization_id = o.id and p.deleted_at is null and p.limits <> '{}'
    where o.deleted_at is null and (o.limits <> '{}' or p.id is not null)
    group by o.id order by o.slug`
  return organizations.flatMap(organization => [
    ...(Object.keys(readOverrides(organization.limits)).length > 0
      ? [listed(services, organization, null)]
      : []),
    ...organization.projects.map(project => listed(services, organization, project)),
  ])
}
