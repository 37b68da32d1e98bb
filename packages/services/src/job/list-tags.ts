import { authorize } from '../authorize.ts'
import type { ProjectContext } from '../context.ts'

/**
 * Every tag that a job of the project has, in alphabetical order.
 * @throws WorklyError `forbidden`
 */
export async function listTags(ctx: ProjectContext): Promise<string[]> {
  authorize(ctx, 'read')
  const { sql } = ctx.services
  const next = (more: ReturnType<typeof sql>) => sql`
    select tag from job_tags
    where organization_id = ${ctx.organizationId} and project_id = ${ctx.projectId} ${more} order by tag limit 1`
  // From each tag to the next one: as many steps as there are tags, however many jobs have them.
  const rows = await sql<{ tag: string }[]>`
    with recursive tags (tag) as (
      (${next(sql``)}) union all
      select (${next(sql`and job_tags.tag > tags.tag`)}) from tags where tags.tag is not null
    )
    select tag from tags where tag is not null order by tag`
  return rows.map(row => row.tag)
}
