import { authorize } from '../authorize.ts'
import { type ProjectContext, readClock } from '../context.ts'
import { loadJob } from './job-row.ts'
import { type ShownJob, showJob } from './job-view.ts'

/** @throws WorklyError `not_found`, `forbidden` */
export async function getJob(ctx: ProjectContext, name: string): Promise<ShownJob> {
  authorize(ctx, 'read')
  const { sql } = ctx.services
  const [row, now] = await Promise.all([loadJob(sql, ctx, name), readClock(ctx.services, sql)])
  return showJob(ctx.services, row, now)
}
