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

/** A pattern for what holds the text anywhere. */
function patternOf(search: string): string {
  return `%${withoutNul(search).replace(/[\\%_]/g, '\\$&')}%`
}

/**
 * The project's jobs, newest first. A search and a tag go by narrow rows of their own, which the database keeps (see the
 * migration job_search); they are joined by all that their keys hold, so that they can be walked in the page's order.
 * @throws WorklyError `invalid_request` on `limit` or `cursor`, `forbidden`
 */
export async function listJobs(ctx: ProjectContext, filter: JobFilter = {}): Promise<Page<JobListItem>> {
  authorize(ctx, 'read')
  const { sql } = ctx.services
  const limit = readLimit(filter.limit)
  const after = filter.cursor === undefined ? null : readJobCursor(filter.cursor)
  const search = filter.search ? patternOf(filter.search) : null
  const rows = await sql<JobRow[]>`
    select ${jobColumns(sql)}, latest.*
    from (
      select j.* from jobs j
      ${
        filter.tag
          ? sql`join job_tags t on (t.project_id, t.created_at, t.job_id) = (j.project_id, j.created_at, j.id)
          and t.tag = ${withoutNul(filter.tag)}`
          : sql``
      }
      ${
        search
          ? sql`join job_search f on (f.project_id, f.created_at, f.job_id) = (j.project_id, j.created_at, j.id)
          and f.text like lower(${search})`
          : sql``
      }
      where j.organization_id = ${ctx.organizationId} and j.project_id = ${ctx.projectId} and j.deleted_at is null
        ${filter.state ? sql`and j.state = ${filter.state}` : sql``}
        ${filter.state && filter.state !== 'active' ? sql`and j.state <> 'active'` : sql``}
        ${filter.kind ? sql`and j.kind = ${filter.kind}` : sql``}
        ${filter.kind && filter.kind !== 'http' ? sql`and j.kind <> 'http'` : sql``}
        ${search ? sql`and (j.name ilike ${search} or j.description ilike ${search})` : sql``}
        ${after ? sql`and (j.created_at, j.id) < (${after.createdAt}, ${after.id})` : sql``}
      order by j.created_at desc, j.id desc limit ${limit + 1}
    ) j
    cross join lateral (select * from schedule_versions where id = j.schedule_version_id offset 0) s
    cross join lateral (select * from request_versions where id = j.request_version_id offset 0) v
    ${latestRun(sql)}
    order by j.created_at desc, j.id desc`
  return cutPage(rows, limit, jobListItem, row => [row.created_at.toISOString(), row.id])
}
