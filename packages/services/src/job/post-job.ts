import { type JobPut, WorklyError } from '@workly/core'
import { authorize } from '../authorize.ts'
import { type ProjectContext, readClock } from '../context.ts'
import { createJob } from './create-job.ts'
import { findJob, type JobRow, jobListItem, loadJob } from './job-row.ts'

/** The kinds of jobs in words, with the name that the organization scheduler has for each (spec section 9). */
const KINDS: Record<JobRow['kind'], string> = {
  http: 'a REST request (restRequest)',
  image: 'an image execution (imageExecution)',
  pipeline: 'a pipeline',
}

/**
 * Creates a job that is not there yet, with nothing of the project's default settings filled in (spec section 4).
 * @throws WorklyError `conflict` when there is a job of that name, naming its kind; `invalid_request`, `limit_reached`,
 * `forbidden`
 */
export async function postJob(ctx: ProjectContext, name: string, input: JobPut) {
  authorize(ctx, 'write')
  const { services } = ctx
  try {
    return await services.sql.begin(async sql => {
      const found = await findJob(sql, ctx, name)
      if (found) throw taken(found)
      await createJob(sql, ctx, name, input, false, await readClock(services, sql))
      return jobListItem(await loadJob(sql, ctx, name))
    })
  } catch (error) {
    // Two creates at once: the second finds the first's job now.
    if (error instanceof Error && 'constraint_name' in error && error.constraint_name === 'jobs_live_name') {
      const found = await findJob(services.sql, ctx, name)
      if (found) throw taken(found)
    }
    throw error
  }
}

function taken({ name, kind }: JobRow): WorklyError {
  return new WorklyError(
    'conflict',
    `${JSON.stringify(name)} exists already in this project: it is ${KINDS[kind]}. Delete it first, or choose another id.`,
  )
}
