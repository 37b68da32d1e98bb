import type { Role, Services } from '../context.ts'
import type { OrganizationRow } from '../tenant-scope.ts'
import { type Organization, shownOrganization } from './shown-organization.ts'

/** The organizations a person belongs to, by name. */
export async function listOrganizationsOfUser(services: Services, userId: string): Promise<Organization[]> {
  const rows = await services.sql<(OrganizationRow & { role: Role })[]>`
    select o.id, o.slug, o.name, o.created_at, m.role
    from memberships m join organizations o on o.id = m.organization_id
    where m.user_id = ${userId} and o.deleted_at is null
    order by lower(o.name), o.id`
  return rows.map(row => shownOrganization(row, row.role))
}
