import type { Context } from '../context.ts'
import { authorizeMember, inOrganization, type ProjectRow } from '../tenant-scope.ts'
import { type Project, shownProject } from './shown-project.ts'

/**
 * The organization's projects, by name.
 * @throws WorklyError `forbidden` for an API key, which belongs to one project
 */
export async function listProjects(ctx: Context): Promise<Project[]> {
  authorizeMember(ctx, 'read')
  const { sql } = ctx.services
  const rows = await sql<ProjectRow[]>`
    select id, slug, name, default_settings, created_at from projects
    where ${inOrganization(sql, ctx)} and deleted_at is null
    order by lower(name), id`
  return rows.map(shownProject)
}
