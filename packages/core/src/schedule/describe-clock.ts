import type { CronExpression } from './cron-expression.ts'
import type { CronField } from './cron-field.ts'
import { clockText, runsOf, wordList } from './word-list.ts'

/** The time of day in words. `at 09:00` follows the days it belongs to; `every 15 minutes` goes before them. */
export interface ClockPhrase {
  text: string
  leads: boolean
}

/** As many times of day as one still reads at a glance; fewer where "every n hours" says the same. */
const MOST_LISTED = 6
const MOST_LISTED_EVEN = 4

/** Says when of a day an expression runs: nothing left out, nothing added. */
export function describeClock(x: CronExpression): ClockPhrase {
  return listed(x) ?? wholeMinutes(x) ?? bySecond(x)
}

function listed({ second, minute, hour }: CronExpression): ClockPhrase | null {
  const [s, ...moreSeconds] = second.values
  if (s === undefined || moreSeconds.length > 0) return null
  const most = evenSteps(hour, 24) === null ? MOST_LISTED : MOST_LISTED_EVEN
  if (minute.values.length > 3 || hour.values.length * minute.values.length > most) return null
  const times = hour.values.flatMap(h => minute.values.map(m => clockText(h, m, s)))
  return { text: `at ${wordList(times)}`, leads: false }
}

/** Expressions that run on the minute. */
function wholeMinutes({ second, minute, hour }: CronExpression): ClockPhrase | null {
  if (second.values.length > 1 || second.values[0] !== 0) return null
  const leading = (text: string) => ({ text, leads: true })
  const minuteSteps = evenSteps(minute, 60)
  const hourSteps = evenSteps(hour, 24)
  const [m = 0, ...moreMinutes] = minute.values
  const [h = 0] = hour.values
  if (moreMinutes.length === 0) {
    if (hour.full) return leading(m === 0 ? 'every hour, on the hour' : `every hour at minute ${m}`)
    if (hourSteps !== null) return leading(`every ${hourSteps} hours from ${clockText(h, m, 0)}`)
    return leading(`at minute ${m} of ${hoursOf(hour)}`)
  }
  if (minuteSteps === null) return leading(`at minutes ${runsOf(minute.values, String)} of ${hoursOf(hour)}`)
  const frequency = minuteSteps === 1 ? 'every minute' : `every ${minuteSteps} minutes`
  const start = m === 0 ? frequency : `${frequency} from minute ${m}`
  if (hour.full) return leading(m === 0 ? start : `${start} of every hour`)
  const span = m === 0 ? oneRun(hour) : null
  return leading(span ? `${start} from ${span}` : `${start} of ${hoursOf(hour)}`)
}

/** The step of values that are evenly spread over the whole cycle, or null. */
function evenSteps(field: CronField, cycle: number): number | null {
  const step = cycle / field.values.length
  const first = field.values[0] ?? 0
  const even = Number.isInteger(step) && field.values.length > 1
  return even && field.values.every((v, i) => v === first + i * step) ? step : null
}

/** `09:00 to 17:59` for hours that follow one another. */
function oneRun(hour: CronField): string | null {
  const first = hour.values[0] ?? 0
  const last = hour.values.at(-1) ?? 0
  return last - first === hour.values.length - 1
    ? `${clockText(first, 0, 0)} to ${clockText(last, 59, 0)}`
    : null
}

function hoursOf(hour: CronField): string {
  if (hour.full) return 'every hour'
  return `${hour.values.length > 1 ? 'the hours' : 'the hour'} ${runsOf(hour.values, String)}`
}

/** Expressions with seconds of their own. */
function bySecond({ second, minute, hour }: CronExpression): ClockPhrase {
  const steps = evenSteps(second, 60)
  const plural = second.values.length > 1 ? 'seconds' : 'second'
  const atSeconds = `at ${plural} ${runsOf(second.values, String)}`
  const even = steps !== null && second.values[0] === 0
  const seconds = !even ? atSeconds : steps === 1 ? 'every second' : `every ${steps} seconds`
  if (minute.full && hour.full) return { text: even ? seconds : `${seconds} of every minute`, leads: true }
  const some = minute.values.length > 1 ? 'the minutes' : 'the minute'
  const minutes = minute.full ? 'every minute' : `${some} ${runsOf(minute.values, String)}`
  return { text: `${seconds} of ${minutes} of ${hoursOf(hour)}`, leads: true }
}
