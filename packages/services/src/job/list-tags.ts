import { authorize } from '../authorize.ts'
import type { ProjectContext } from '../context.ts'

/**
 * Every tag that a job of the project has, in alphabetical order.
 * @throws WorklyError `forbidden`
 */
export async function listTags(ctx: ProjectContext): Promise<string[]> {
  authorize(ctx, 'read')
  const rows = await ctx.services.sql<{ tag: string }[]>`
    select distinct tag from jobs, unnest(tags) as tag
    where organization_id = ${ctx.organizationId} and project_id = ${ctx.projectId} and deleted_at is null
    order by tag`
  return rows.map(row => row.tag)
}
