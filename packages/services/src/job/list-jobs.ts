import { type JobListItem, type Page, parseInstant } from '@workly/core'
import type { Sql } from '@workly/db'
import { authorize } from '../authorize.ts'
import type { ProjectContext } from '../context.ts'
import { badCursor, cutPage, inProject, readCursor, readLimit, writtenLimit } from '../cursor.ts'
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

/** So many jobs of a tag are looked at one by one for a word. */
const FEW = 1_000

/** A pattern for what holds the text anywhere. */
function patternOf(search: string): string {
  return `%${withoutNul(search).replace(/[\\%_]/g, '\\$&')}%`
}

/**
 * The project's jobs, newest first. A search and a tag walk narrow rows of their own, which the database keeps (see the
 * migration job_search), and look up the jobs of the page alone; unless a filter keeps so few
 * jobs that these are read.
 * @throws WorklyError `invalid_request` on `limit` or `cursor`, `forbidden`
 */
export async function listJobs(ctx: ProjectContext, filter: JobFilter = {}): Promise<Page<JobListItem>> {
  authorize(ctx, 'read')
  const { sql } = ctx.services
  const limit = readLimit(filter.limit)
  const after = filter.cursor === undefined ? null : readJobCursor(filter.cursor)
  const search = filter.search ? patternOf(filter.search) : null
  const tag = filter.tag ? withoutNul(filter.tag) : null
  const keepsFew = (filter.state ?? 'active') !== 'active' || (filter.kind ?? 'http') !== 'http'
  const kept = sql`
    ${inProject(sql, 'j', ctx)} and j.deleted_at is null
    ${filter.state ? sql`and j.state = ${filter.state}` : sql``}
    ${filter.state && filter.state !== 'active' ? sql`and j.state <> 'active'` : sql``}
    ${filter.kind ? sql`and j.kind = ${filter.kind}` : sql``}
    ${filter.kind && filter.kind !== 'http' ? sql`and j.kind <> 'http'` : sql``}
    ${tag ? sql`and ${tag} = any(j.tags)` : sql``}
    ${search ? sql`and (j.name ilike ${search} or j.description ilike ${search})` : sql``}`
  const narrow = (search || tag) && !keepsFew && (await narrowRows(sql, ctx.projectId, search, tag))
  const page = narrow
    ? sql`
        select j.* from (${narrow.rows}) f
        cross join lateral (select * from jobs j where j.id = f.job_id and ${kept} offset 0) j
        ${after ? sql`where (f.created_at, f.job_id) < (${after.createdAt}, ${after.id})` : sql``}
        order by f.created_at desc, f.job_id desc limit ${writtenLimit(sql, limit + 1)}`
    : sql`
        select * from jobs j
        where ${kept} ${after ? sql`and (j.created_at, j.id) < (${after.createdAt}, ${after.id})` : sql``}
        order by j.created_at desc, j.id desc limit ${writtenLimit(sql, limit + 1)}`
  const rows = await sql<JobRow[]>`
    select ${jobColumns(sql)}, latest.*
    from (${page}) j
    cross join lateral (select * from schedule_versions where id = j.schedule_version_id offset 0) s
    cross join lateral (select * from request_versions where id = j.request_version_id offset 0) v
    ${latestRun(sql)}
    order by j.created_at desc, j.id desc`
  return cutPage(rows, limit, jobListItem, row => [row.created_at.toISOString(), row.id])
}

/**
 * The rows of `job_search` or `job_tags` to look for the page in, as a table of job_id and created_at: those of the tag
 * where few have it, else those that the search finds. That is asked in a form that the planner takes for half of the
 * rows, whatever is searched: it then walks the project's rows in the page's order, and does not read those of all
 * projects where it takes the word for rare.
 */
async function narrowRows(sql: Sql, projectId: string, search: string | null, tag: string | null) {
  const tagged = sql`
    select job_id, created_at from job_tags where project_id = ${projectId} and tag = ${tag}`
  if (search === null) return { rows: tagged }
  if (tag !== null && (await sql`${tagged} limit ${FEW + 1}`).length <= FEW) return { rows: tagged }
  return {
    rows: sql`
      select job_id, created_at from job_search
      where project_id = ${projectId} and case when text like lower(${search}) then true else false end`,
  }
}
