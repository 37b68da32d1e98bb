import { type JobListItem, type Page, parseInstant } from '@workly/core'
import { authorize } from '../authorize.ts'
import type { ProjectContext } from '../context.ts'
import { badCursor, cutPage, readCursor, readLimit } from '../cursor.ts'
import { withoutNul } from '../storable-text.ts'
import { type JobRow, jobColumns, jobListItem, latestRun } from './job-row.ts'

export interface JobFilter {
  state?: 'active' | 'paused' | 'completed' | undefined
  kind?: 'http' | 'image' | 'pipeline' | undefined
  /** Part of the name or the description, in any case. */
  search?: string | undefined
  tag?: string | undefined
  limit?: number | undefined
  cursor?: string | undefined
}

/** @throws WorklyError `invalid_request` on `cursor` */
function readJobCursor(cursor: string): { createdAt: Date; id: string } {
  const [createdAt = '', id = ''] = readCursor(cursor, 2)
  const ms = parseInstant(createdAt)
  if (ms === null) throw badCursor()
  return { createdAt: new Date(ms), id }
}

/**
 * The project's jobs, newest first.
 * @throws WorklyError `invalid_request` on `limit` or `cursor`, `forbidden`
 */
export async function listJobs(ctx: ProjectContext, filter: JobFilter = {}): Promise<Page<JobListItem>> {
  authorize(ctx, 'read')
  const { sql } = ctx.services
  const limit = readLimit(filter.limit)
  const after = filter.cursor === undefined ? null : readJobCursor(filter.cursor)
  const pattern = filter.search ? `%${withoutNul(filter.search).replace(/[\\%_]/g, '\\$&')}%` : null
  const rows = await sql<JobRow[]>`
    select ${jobColumns(sql)}, latest.*
    from (
      select * from jobs j
      where j.organization_id = ${ctx.organizationId} and j.project_id = ${ctx.projectId} and j.deleted_at is null
        ${filter.state ? sql`and j.state = ${filter.state}` : sql``}
        ${filter.state && filter.state !== 'active' ? sql`and j.state <> 'active'` : sql``}
        ${filter.kind ? sql`and j.kind = ${filter.kind}` : sql``}
        ${filter.kind && filter.kind !== 'http' ? sql`and j.kind <> 'http'` : sql``}
        ${filter.tag ? sql`and ${withoutNul(filter.tag)} = any(j.tags)` : sql``}
        ${pattern ? sql`and (j.name ilike ${pattern} or j.description ilike ${pattern})` : sql``}
        ${after ? sql`and (j.created_at, j.id) < (${after.createdAt}, ${after.id})` : sql``}
      order by j.created_at desc, j.id desc limit ${limit + 1}
    ) j
    join schedule_versions s on s.id = j.schedule_version_id
    join request_versions v on v.id = j.request_version_id
    ${latestRun(sql)}
    order by j.created_at desc, j.id desc`
  return cutPage(rows, limit, jobListItem, row => [row.created_at.toISOString(), row.id])
}
