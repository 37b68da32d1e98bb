import { invalid, JOB_NAME, type JobPut } from '@workly/core'
import { authorize } from '../authorize.ts'
import { type ProjectContext, readClock } from '../context.ts'
import { createJob } from './create-job.ts'
import { findJob, loadJob } from './job-row.ts'
import { type ShownJob, showJob } from './job-view.ts'
import { type Condition, checkCondition } from './precondition.ts'
import { replaceSettings } from './replace-settings.ts'

export interface PutJob extends ShownJob {
  created: boolean
  /** False: the job was set so already, and nothing was written. */
  changed: boolean
}

/**
 * Creates the job or sets it to exactly what is given, the rest at defaults (spec section 8). Pause is not a setting;
 * `execute_now` only counts in the call that creates the job.
 * @throws WorklyError `invalid_request`, `precondition_failed`, `limit_reached`, `forbidden`
 */
export async function putJob(
  ctx: ProjectContext,
  name: string,
  input: JobPut,
  condition: Condition = {},
): Promise<PutJob> {
  authorize(ctx, 'write')
  if (!JOB_NAME.test(name)) {
    throw invalid([
      {
        field: 'name',
        message: '1 to 100 letters, digits, dots, underscores and hyphens, the first a letter or digit.',
      },
    ])
  }
  const put = () =>
    ctx.services.sql.begin(async (sql): Promise<PutJob> => {
      const found = await findJob(sql, ctx, name, true)
      const now = await readClock(ctx.services, sql)
      checkCondition(condition, found)
      const changed = found
        ? await replaceSettings(sql, ctx, found, input, true, now)
        : await createJob(sql, ctx, name, input, true, now)
      const row = await loadJob(sql, ctx, name)
      return { ...showJob(ctx.services, row, now), created: !found, changed }
    })
  try {
    return await put()
  } catch (error) {
    // Two creates at once: the second finds the first's job now, and is an update.
    if (error instanceof Error && 'constraint_name' in error && error.constraint_name === 'jobs_live_name')
      return put()
    throw error
  }
}
