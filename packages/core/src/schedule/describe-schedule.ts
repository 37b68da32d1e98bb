import { describeClock } from './describe-clock.ts'
import { describeDays } from './describe-days.ts'
import type { CronSchedule, Schedule } from './schedule.ts'
import { runsOf } from './word-list.ts'

/**
 * A schedule in plain words on a clock of 24 hours, such as "Every day at 03:00" or "Weekdays at 09:00". The zone,
 * `from` and `to` are not in it: they are shown beside it. Different times always read differently.
 */
export function describeSchedule(schedule: Schedule): string {
  if (schedule.kind === 'at') return `Once, at ${schedule.fields.at}`
  return capital(
    schedule.kind === 'cron' ? describeCron(schedule) : `every ${elapsed(schedule.everyMs / 60_000)}`,
  )
}

function describeCron({ expression }: CronSchedule): string {
  const clock = describeClock(expression)
  const days = describeDays(expression)
  const { year } = expression
  const years = year === null || year.full ? '' : `, in ${runsOf(year.values, String)}`
  return `${clock.leads ? `${clock.text}${days.addition}` : `${days.subject} ${clock.text}`}${years}`
}

/** An interval counts elapsed time: 24 hours, since a day on the wall clock may have 23 or 25. */
function elapsed(minutes: number): string {
  if (minutes > 1_440 && minutes % 1_440 === 0) return `${minutes / 1_440} × 24 hours`
  if (minutes % 60 === 0) return minutes === 60 ? 'hour' : `${minutes / 60} hours`
  return minutes === 1 ? 'minute' : `${minutes} minutes`
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
