import type { CronExpression } from './cron-expression.ts'
import type { CronField } from './cron-field.ts'
import { ordinal, runsOf } from './word-list.ts'

const WEEKDAYS = ['Sundays', 'Mondays', 'Tuesdays', 'Wednesdays', 'Thursdays', 'Fridays', 'Saturdays']
const MONTHS = [
  ...['January', 'February', 'March', 'April', 'May', 'June'],
  ...['July', 'August', 'September', 'October', 'November', 'December'],
]

/** The days in words, as a subject ("Sundays …") and as an addition ("… on Sundays"). */
export interface DaysPhrase {
  subject: string
  addition: string
}

/** Says which days an expression matches, months included, years not. */
export function describeDays(x: CronExpression): DaysPhrase {
  const { dayOfMonth, dayOfWeek, month, eitherDay } = x
  const inMonths = month.full ? '' : ` in ${monthNames(month)}`
  const everyDay = eitherDay ? dayOfMonth.full || dayOfWeek.full : dayOfMonth.full && dayOfWeek.full
  if (everyDay) return { subject: `every day${inMonths}`, addition: inMonths }
  if (dayOfMonth.full) return on(`${weekdays(dayOfWeek)}${inMonths}`)
  const dates = datesOf(dayOfMonth, month)
  if (eitherDay) return on(`${dates} and all ${weekdays(dayOfWeek)}${inMonths}`)
  if (dayOfWeek.full) return single(dayOfMonth, month) ?? on(dates)
  return on(`${weekdayNames(dayOfWeek)} that fall on ${dates}`)
}

function on(days: string): DaysPhrase {
  return { subject: days, addition: ` on ${days}` }
}

/** `every 1 January`, rather than "the 1st of January". */
function single(dayOfMonth: CronField, month: CronField): DaysPhrase | null {
  if (dayOfMonth.values.length > 1 || month.values.length > 1) return null
  const date = `${dayOfMonth.values[0]} ${monthNames(month)}`
  return { subject: `every ${date}`, addition: ` on every ${date}` }
}

function datesOf(dayOfMonth: CronField, month: CronField): string {
  return `the ${runsOf(dayOfMonth.values, ordinal)} of ${month.full ? 'every month' : monthNames(month)}`
}

function monthNames(month: CronField): string {
  return runsOf(month.values, m => MONTHS[m - 1] ?? '')
}

/** `weekdays` and `weekends` where they are meant, the names of the days otherwise. */
function weekdays(dayOfWeek: CronField): string {
  const days = dayOfWeek.values.join(' ')
  if (days === '1 2 3 4 5') return 'weekdays'
  return days === '0 6' ? 'weekends' : weekdayNames(dayOfWeek)
}

/** The days of the week by name, from Monday on. */
export function weekdayNames(dayOfWeek: CronField): string {
  const fromMonday = dayOfWeek.values.map(d => (d === 0 ? 7 : d)).sort((a, b) => a - b)
  return runsOf(fromMonday, d => WEEKDAYS[d % 7] ?? '')
}
