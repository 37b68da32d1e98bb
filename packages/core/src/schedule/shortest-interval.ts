import type { CronExpression } from './cron-expression.ts'
import type { Schedule } from './schedule.ts'

const DAY_S = 86_400
/** 1972 to 2000: each weekday with each date, leap days included, and each pair of neighbours. */
const [CALENDAR_START_DAY, CALENDAR_END_DAY] = [730, 11_323]

/**
 * The smallest distance between two consecutive times of a schedule, in milliseconds, as the wall clock shows it: what
 * a change of the clocks pushes together is not counted. Infinity where there is only one time. For the limit on the
 * shortest interval.
 */
export function shortestIntervalMs(schedule: Schedule): number {
  if (schedule.kind === 'at') return Number.POSITIVE_INFINITY
  return schedule.kind === 'interval' ? schedule.everyMs : shortestOfCron(schedule.expression) * 1000
}

function shortestOfCron(x: CronExpression): number {
  const withinDay = Math.min(...distancesWithinDay(x))
  const overnight = x.times.firstOfDay - x.times.lastOfDay
  // Neighbouring days are the nearest that days can be: only if that would matter are they looked for.
  return DAY_S + overnight < withinDay
    ? Math.min(withinDay, fewestDaysApart(x) * DAY_S + overnight)
    : withinDay
}

/** Seconds between times of one day: within a minute, from minute to minute, from hour to hour. */
function distancesWithinDay(x: CronExpression): number[] {
  const [seconds, minutes, hours] = [x.second.values, x.minute.values, x.hour.values]
  const overMinute = (seconds[0] ?? 0) - (seconds.at(-1) ?? 0)
  const overHour = ((minutes[0] ?? 0) - (minutes.at(-1) ?? 0)) * 60 + overMinute
  return [
    smallestStep(seconds),
    smallestStep(minutes) * 60 + overMinute,
    smallestStep(hours) * 3_600 + overHour,
  ]
}

function smallestStep(values: readonly number[]): number {
  const steps = values.slice(1).map((v, i) => v - (values[i] ?? 0))
  return Math.min(...steps, Number.POSITIVE_INFINITY)
}

function fewestDaysApart(x: CronExpression): number {
  const years = x.year !== null && !x.year.full
  const end = years ? Number.POSITIVE_INFINITY : CALENDAR_END_DAY
  let fewest = Number.POSITIVE_INFINITY
  let day = x.times.days.atOrAfter(years ? 0 : CALENDAR_START_DAY)
  while (day !== null && day <= end && fewest > 1) {
    const next = x.times.days.atOrAfter(day + 1)
    if (next !== null) fewest = Math.min(fewest, next - day)
    day = next
  }
  return fewest
}
