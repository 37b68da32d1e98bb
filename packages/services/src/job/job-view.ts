import { formatInstant, type Job, nextTimes, scheduleWarnings } from '@workly/core'
import type { Services } from '../context.ts'
import { compileStored } from '../schedule/stored-schedule.ts'
import { type JobRow, jobListItem } from './job-row.ts'
import { targetWarnings } from './job-settings.ts'

/** A job as single-job answers show it, with the ETag of its settings and pause. */
export interface ShownJob {
  job: Job
  etag: string
}

/** The ETag covers settings and pause; the id keeps a job apart from a deleted one of the same name. */
export function etagOf(row: Pick<JobRow, 'id' | 'revision'>): string {
  return `"${row.id}.${row.revision}"`
}

/**
 * The job with its next five times, computed by the code that fires. A paused job's show what resuming now would give
 * (spec section 2).
 */
export function showJob(services: Services, row: JobRow, now: Date): ShownJob {
  const schedule = compileStored(row)
  const times = row.state === 'completed' ? [] : nextTimes(schedule, now.getTime(), 5)
  const job: Job = {
    ...jobListItem(row),
    next_runs: times.map(ms => formatInstant(ms)),
    warnings: [...scheduleWarnings(schedule, now.getTime()), ...targetWarnings(row.request, services)],
  }
  return { job, etag: etagOf(row) }
}
