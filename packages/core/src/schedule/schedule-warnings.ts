import type { CronExpression } from './cron-expression.ts'
import { weekdayNames } from './describe-days.ts'
import { dstWarnings } from './dst-warnings.ts'
import type { Schedule } from './schedule.ts'
import type { ScheduleWarning } from './schedule-warning.ts'
import { shownText } from './shown-text.ts'
import { stepWarnings } from './step-warnings.ts'

/**
 * What a person should know about a schedule before relying on it.
 * @param nowMs milliseconds since epoch; changes of the clocks are looked for from then on
 */
export function scheduleWarnings(schedule: Schedule, nowMs: number): ScheduleWarning[] {
  if (schedule.kind !== 'cron') return []
  const { expression } = schedule
  return [
    ...stepWarnings(expression),
    ...everyMinuteWarnings(expression),
    ...dayWarnings(expression),
    ...dstWarnings(schedule, nowMs),
  ]
}

function everyMinuteWarnings({ second, minute, hour, secondsGiven }: CronExpression): ScheduleWarning[] {
  const warnings: ScheduleWarning[] = []
  const warn = (message: string) => warnings.push({ code: 'every_minute_of_hour', field: 'cron', message })
  if (minute.full && !hour.full) {
    warn(
      `minute: ${shownText(minute.text)} with the hour ${shownText(hour.text)} runs in each of the 60 minutes of such an hour. For once an hour put one minute, such as 0.`,
    )
  }
  if (secondsGiven && second.full && !minute.full) {
    warn(
      `second: ${shownText(second.text)} with the minute ${shownText(minute.text)} runs in each of the 60 seconds of such a minute. For once a minute put one second, such as 0.`,
    )
  }
  return warnings
}

function dayWarnings({ dayOfMonth, dayOfWeek, eitherDay }: CronExpression): ScheduleWarning[] {
  const warnings: ScheduleWarning[] = []
  const both = `day of month ${shownText(dayOfMonth.text)} and day of week ${shownText(dayOfWeek.text)}`
  if (eitherDay) {
    const message = `Both ${both} are given: a day matches if either does, not only if both do.`
    warnings.push({ code: 'day_or_weekday', field: 'cron', message })
  } else if (!dayOfMonth.full && !dayOfWeek.full) {
    const message = `Both ${both} must match, since one of them starts with *. Without that star a day would match if either did.`
    warnings.push({ code: 'day_or_weekday', field: 'cron', message })
  }
  if (dayOfMonth.text === '?' && /[1-7]/.test(dayOfWeek.text.replace(/\/[0-9]+/g, ''))) {
    const message = `day of week: ${shownText(dayOfWeek.text)} is ${weekdayNames(dayOfWeek)} here, where 0 and 7 are Sunday. Quartz and AWS count from 1, Sunday.`
    warnings.push({ code: 'weekday_numbers', field: 'cron', message })
  }
  return warnings
}
