const DAY_MS = 86_400_000
/** Weekday of day 0, 1 January 1970: a Thursday. */
const EPOCH_WEEKDAY = 4
/** A date that an expression without a year can match comes again within 40 years (29 February on a given weekday). */
const LONGEST_WAIT_YEARS = 41

/** The parts of an expression that choose its days. */
export interface DayRules {
  readonly daysOfMonth: readonly number[]
  readonly months: readonly number[]
  /** 0 is Sunday. */
  readonly daysOfWeek: readonly number[]
  /** Ascending, or null for every year. */
  readonly years: readonly number[] | null
  /** Both day fields restricted: a day matches if either does; otherwise both must (crontab(5)). */
  readonly eitherDay: boolean
}

/**
 * The days that an expression matches, as numbers of days since 1970-01-01 in the Gregorian calendar. Walks months,
 * each a mask of 31 bits, so that a date that comes every 40 years costs microseconds.
 */
export class DaySet {
  readonly #monthMask: number
  /** For each weekday that a month can begin on, the matching days of the month: bit d is day d. */
  readonly #daysByFirstWeekday: readonly number[]
  readonly #years: readonly number[] | null

  constructor(rules: DayRules) {
    this.#monthMask = maskOf(rules.months)
    this.#years = rules.years
    const byDate = maskOf(rules.daysOfMonth)
    this.#daysByFirstWeekday = [0, 1, 2, 3, 4, 5, 6].map(first => {
      const byWeekday = maskOf(ALL_DAYS.filter(d => rules.daysOfWeek.includes((first + d - 1) % 7)))
      return rules.eitherDay ? byDate | byWeekday : byDate & byWeekday
    })
  }

  has(day: number): boolean {
    const date = new Date(day * DAY_MS)
    return (this.#matching(date.getUTCFullYear(), date.getUTCMonth() + 1) & (1 << date.getUTCDate())) !== 0
  }

  /** The first matching day at or after `day`, or null. */
  atOrAfter(day: number): number | null {
    const date = new Date(day * DAY_MS)
    let year = date.getUTCFullYear()
    let month = date.getUTCMonth() + 1
    let days = this.#matching(year, month) & (-1 << date.getUTCDate())
    const lastYear = this.#years?.at(-1) ?? year + LONGEST_WAIT_YEARS
    while (days === 0) {
      month++
      if (month > 12) {
        year = this.#years?.find(y => y > year) ?? year + 1
        month = 1
      }
      if (year > lastYear) return null
      days = this.#matching(year, month)
    }
    return dayNumber(year, month, 31 - Math.clz32(days & -days))
  }

  /** The last matching day at or before `day`, or null. */
  atOrBefore(day: number): number | null {
    const date = new Date(day * DAY_MS)
    let year = date.getUTCFullYear()
    let month = date.getUTCMonth() + 1
    let days = this.#matching(year, month) & ~(-2 << date.getUTCDate())
    const firstYear = this.#years?.[0] ?? year - LONGEST_WAIT_YEARS
    while (days === 0) {
      month--
      if (month < 1) {
        year = this.#years?.findLast(y => y < year) ?? year - 1
        month = 12
      }
      if (year < firstYear) return null
      days = this.#matching(year, month)
    }
    return dayNumber(year, month, 31 - Math.clz32(days))
  }

  #matching(year: number, month: number): number {
    if ((this.#monthMask & (1 << month)) === 0) return 0
    if (this.#years !== null && !this.#years.includes(year)) return 0
    const first = dayNumber(year, month, 1)
    const weekday = (((first + EPOCH_WEEKDAY) % 7) + 7) % 7
    return (this.#daysByFirstWeekday[weekday] ?? 0) & ~(-2 << daysInMonth(year, month))
  }
}

const ALL_DAYS = Array.from({ length: 31 }, (_, i) => i + 1)

function maskOf(values: readonly number[]): number {
  return values.reduce((mask, v) => mask | (1 << v), 0)
}

/** Days since 1970-01-01. `month` is 1 to 12. */
export function dayNumber(year: number, month: number, day: number): number {
  return Date.UTC(year, month - 1, day) / DAY_MS
}

function daysInMonth(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31
}
