import type { RunState } from '@workly/core'
import { formatInstant } from '@workly/core'
import { authorize } from '../authorize.ts'
import type { ProjectContext } from '../context.ts'

/** A run as a strip of recent runs shows it. */
export interface RecentRun {
  id: string
  state: RunState
  scheduled_for: string
}

/**
 * The latest runs of several jobs at once, newest first, in one query whatever the number of jobs. Ids of other
 * projects find nothing.
 * @param count how many runs per job at most
 * @throws WorklyError `forbidden`
 */
export async function recentRuns(
  ctx: ProjectContext,
  jobIds: readonly string[],
  count: number,
): Promise<Map<string, RecentRun[]>> {
  authorize(ctx, 'read')
  const byJob = new Map<string, RecentRun[]>(jobIds.map(id => [id, []]))
  if (jobIds.length === 0) return byJob
  const rows = await ctx.services.sql<{ job_id: string; id: string; state: RunState; scheduled_for: Date }[]>`
    select r.job_id, r.id, r.state, r.scheduled_for
    from unnest(${[...jobIds]}::text[]) as wanted (job_id)
    cross join lateral (
      select job_id, id, state, scheduled_for from runs
      where runs.job_id = wanted.job_id and organization_id = ${ctx.organizationId} and project_id = ${ctx.projectId}
      order by id collate "C" desc limit ${count}
    ) r
    order by r.job_id, r.id desc`
  for (const row of rows) {
    byJob
      .get(row.job_id)
      ?.push({ id: row.id, state: row.state, scheduled_for: formatInstant(row.scheduled_for.getTime()) })
  }
  return byJob
}
