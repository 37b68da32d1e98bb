import { type DayRules, DaySet } from './day-set.ts'
import { ValueLookup } from './value-lookup.ts'

const DAY_S = 86_400

/** The parts of an expression that choose the time of day. */
export interface ClockRules {
  readonly hours: readonly number[]
  readonly minutes: readonly number[]
  readonly seconds: readonly number[]
}

/**
 * The times that an expression matches on a clock that knows no zone. A wall time is written as the milliseconds
 * since 1970-01-01T00:00:00 on that clock.
 */
export class WallClockTimes {
  readonly days: DaySet
  readonly #hours: ValueLookup
  readonly #minutes: ValueLookup
  readonly #seconds: ValueLookup

  constructor(rules: DayRules & ClockRules) {
    this.days = new DaySet(rules)
    this.#hours = new ValueLookup(rules.hours, 24)
    this.#minutes = new ValueLookup(rules.minutes, 60)
    this.#seconds = new ValueLookup(rules.seconds, 60)
  }

  /** Second of the day of the first matching time of each matching day. */
  get firstOfDay(): number {
    return this.#hours.first * 3600 + this.#firstOfHour
  }

  /** Second of the day of the last matching time of each matching day. */
  get lastOfDay(): number {
    return this.#hours.last * 3600 + this.#lastOfHour
  }

  get #firstOfHour(): number {
    return this.#minutes.first * 60 + this.#seconds.first
  }

  get #lastOfHour(): number {
    return this.#minutes.last * 60 + this.#seconds.last
  }

  /** The first matching wall time at or after `wallMs`, or null. */
  atOrAfter(wallMs: number): number | null {
    const total = Math.ceil(wallMs / 1000)
    const today = Math.floor(total / DAY_S)
    const second = this.days.has(today) ? this.#laterToday(total - today * DAY_S) : -1
    if (second >= 0) return (today * DAY_S + second) * 1000
    const day = this.days.atOrAfter(today + 1)
    return day === null ? null : (day * DAY_S + this.firstOfDay) * 1000
  }

  /** The last matching wall time at or before `wallMs`, or null. */
  atOrBefore(wallMs: number): number | null {
    const total = Math.floor(wallMs / 1000)
    const today = Math.floor(total / DAY_S)
    const second = this.days.has(today) ? this.#earlierToday(total - today * DAY_S) : -1
    if (second >= 0) return (today * DAY_S + second) * 1000
    const day = this.days.atOrBefore(today - 1)
    return day === null ? null : (day * DAY_S + this.lastOfDay) * 1000
  }

  #laterToday(secondOfDay: number): number {
    const h = Math.floor(secondOfDay / 3600)
    const m = Math.floor((secondOfDay % 3600) / 60)
    const hour = this.#hours.atOrAfter(h)
    if (hour < 0) return -1
    if (hour > h) return hour * 3600 + this.#firstOfHour
    let minute = this.#minutes.atOrAfter(m)
    if (minute === m) {
      const second = this.#seconds.atOrAfter(secondOfDay % 60)
      if (second >= 0) return h * 3600 + m * 60 + second
      minute = this.#minutes.atOrAfter(m + 1)
    }
    if (minute >= 0) return h * 3600 + minute * 60 + this.#seconds.first
    const next = this.#hours.atOrAfter(h + 1)
    return next < 0 ? -1 : next * 3600 + this.#firstOfHour
  }

  #earlierToday(secondOfDay: number): number {
    const h = Math.floor(secondOfDay / 3600)
    const m = Math.floor((secondOfDay % 3600) / 60)
    const hour = this.#hours.atOrBefore(h)
    if (hour < 0) return -1
    if (hour < h) return hour * 3600 + this.#lastOfHour
    let minute = this.#minutes.atOrBefore(m)
    if (minute === m) {
      const second = this.#seconds.atOrBefore(secondOfDay % 60)
      if (second >= 0) return h * 3600 + m * 60 + second
      minute = this.#minutes.atOrBefore(m - 1)
    }
    if (minute >= 0) return h * 3600 + minute * 60 + this.#seconds.last
    const before = this.#hours.atOrBefore(h - 1)
    return before < 0 ? -1 : before * 3600 + this.#lastOfHour
  }
}
