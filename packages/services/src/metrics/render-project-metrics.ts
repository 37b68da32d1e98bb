import { notFound } from '@workly/core'
import { authorize } from '../authorize.ts'
import { type ProjectContext, readClock } from '../context.ts'
import { inOrganization, inProject } from '../tenant-scope.ts'
import { type CounterRow, counterFamilies } from './counter-families.ts'
import { exposition } from './exposition.ts'
import { queueFamily, readQueueDepth } from './queue-depth.ts'
import { type JobCounts, scheduleFamilies } from './schedule-families.ts'

/**
 * The project's metrics as Prometheus reads them: a handful of series per job (labels `project`, its slug, and
 * `schedule`, the job's name), and the project's own counters (spec section 13). Serve it as `METRICS_CONTENT_TYPE`.
 * @throws WorklyError `forbidden`, `not_found`
 */
export async function renderProjectMetrics(ctx: ProjectContext): Promise<string> {
  authorize(ctx, 'read')
  const { sql } = ctx.services
  const [project] = await sql<{ slug: string }[]>`
    select slug from projects where ${inOrganization(sql, ctx)} and id = ${ctx.projectId} and deleted_at is null`
  if (!project) throw notFound('such project')
  const now = await readClock(ctx.services, sql)
  const [jobs, counters, depth] = await Promise.all([
    sql<JobCounts[]>`
      select name, state, next_run_at, last_success_at, last_failure_at, consecutive_failures, runs_succeeded,
        runs_failed, runs_cancelled, runs_skipped
      from jobs where ${inProject(sql, ctx)} and deleted_at is null order by name`,
    sql<CounterRow[]>`select metric, label, value from counters where ${inProject(sql, ctx)}`,
    readQueueDepth(sql, now, ctx.projectId),
  ])
  const labels = { project: project.slug }
  return exposition([
    ...scheduleFamilies(jobs, labels),
    ...counterFamilies(counters, labels),
    queueFamily(depth, labels),
  ])
}
