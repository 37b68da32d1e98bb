import { describeSchedule, type JobListItem, parseSchedule, ScheduleError } from '@workly/core'

type Scheduled = Pick<
  JobListItem,
  'cron' | 'interval_minutes' | 'at' | 'timezone' | 'dialect' | 'from' | 'to' | 'created_at'
>

/** A job's schedule in plain words: `Every day at 03:00`. A schedule that cannot be read any more shows as it stands. */
export function scheduleWords(job: Scheduled): string {
  const { cron, interval_minutes, at, timezone, dialect, from, to } = job
  try {
    const schedule = parseSchedule(
      { cron, interval_minutes, at, timezone, dialect, from, to },
      { createdAtMs: Date.parse(job.created_at) },
    )
    return describeSchedule(schedule)
  } catch (error) {
    if (!(error instanceof ScheduleError)) throw error
    return cron ?? at ?? `every ${interval_minutes} minutes`
  }
}
