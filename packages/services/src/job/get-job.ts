import { authorize } from '../authorize.ts'
import type { ProjectContext } from '../context.ts'
import { loadJobNow } from './job-row.ts'
import { type ShownJob, showJob } from './job-view.ts'

/** @throws WorklyError `not_found`, `forbidden` */
export async function getJob(ctx: ProjectContext, name: string): Promise<ShownJob> {
  authorize(ctx, 'read')
  const { row, now } = await loadJobNow(ctx, name)
  return showJob(ctx.services, row, now)
}
