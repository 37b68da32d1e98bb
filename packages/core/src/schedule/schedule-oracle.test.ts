import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type RandomCron, randomCron } from '../../test/cron-arbitrary.ts'
import { oracleTimes, type WallMatch, wallClock } from '../../test/wall-clock-oracle.ts'
import { parseSchedule } from './parse-schedule.ts'
import type { CronSchedule, ScheduleFields } from './schedule.ts'
import { ScheduleError } from './schedule-error.ts'
import { lastTimeAtOrBefore, nextTimes, timesBetween } from './schedule-times.ts'

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000
const zones = Intl.supportedValuesOf('timeZone')
/** Where clocks do something odd: half hours, midnights, whole days, Ramadan, double summer time, changes of mind. */
const ODD_ZONES = [
  ...['Australia/Lord_Howe', 'America/St_Johns', 'Africa/Casablanca', 'Pacific/Apia', 'America/Sao_Paulo'],
  ...['Asia/Beirut', 'Africa/Cairo', 'Antarctica/Troll', 'Asia/Gaza', 'Antarctica/Casey', 'Pacific/Chatham'],
  ...['America/Santiago', 'Europe/Dublin', 'Asia/Pyongyang', 'Asia/Tehran', 'Europe/Stockholm'],
]

function parse(fields: ScheduleFields): CronSchedule | null {
  try {
    const schedule = parseSchedule(fields, { createdAtMs: 0 })
    return schedule.kind === 'cron' ? schedule : null
  } catch (error) {
    // Only dates that never come may be refused here.
    if (error instanceof ScheduleError && /never comes/.test(error.message)) return null
    throw error
  }
}

function expectOracle(zone: string, cron: RandomCron, fromMs: number, toMs: number) {
  const schedule = parse({ cron: cron.text, dialect: cron.dialect, timezone: zone })
  const stepMs = cron.dialect === 'extended' ? 1000 : MINUTE_MS
  const expected = oracleTimes(zone, cron.match, fromMs, toMs, stepMs)
  expect(schedule ? timesBetween(schedule, fromMs, toMs, Number.POSITIVE_INFINITY) : []).toEqual(expected)
  if (schedule === null) return
  const backwards: number[] = []
  let last = lastTimeAtOrBefore(schedule, toMs)
  while (last !== null && last >= fromMs) {
    backwards.push(last)
    last = lastTimeAtOrBefore(schedule, last - 1)
  }
  expect(backwards.reverse()).toEqual(expected)
}

const anyZone = fc.oneof(fc.constantFrom(...ODD_ZONES), fc.constantFrom(...zones))

describe('the times of a cron schedule, against a walk through every minute of Intl', () => {
  it('are the same over a year of any zone, forwards and backwards, none lost and none twice', () => {
    const year = fc.integer({ min: 1974, max: 2037 })
    fc.assert(
      fc.property(anyZone, year, randomCron(), (zone, y, cron) =>
        expectOracle(zone, cron, Date.UTC(y, 0, 1), Date.UTC(y + 1, 0, 1)),
      ),
      { numRuns: 25 },
    )
  })

  it('are the same to the second over three days of any zone', () => {
    const start = fc.integer({ min: Date.UTC(2000, 0, 1) / 1000, max: Date.UTC(2037, 0, 1) / 1000 })
    fc.assert(
      fc.property(anyZone, start, randomCron(true), (zone, second, cron) =>
        expectOracle(zone, cron, second * 1000, second * 1000 + 3 * DAY_MS),
      ),
      { numRuns: 20 },
    )
  })

  it('are the same around every change of the clocks of every zone in 2025 and 2026', () => {
    const everyTenMinutes: WallMatch = {
      day: () => true,
      hours: new Set(Array.from({ length: 24 }, (_, h) => h)),
      minutes: new Set([0, 10, 20, 30, 40, 50]),
      seconds: new Set([0]),
    }
    const cron: RandomCron = { text: '*/10 * * * *', dialect: 'standard', match: everyTenMinutes }
    let changes = 0
    for (const zone of zones) {
      for (const atMs of changesOf(zone, Date.UTC(2025, 0, 1), Date.UTC(2027, 0, 1))) {
        changes++
        expectOracle(zone, cron, atMs - DAY_MS, atMs + DAY_MS)
      }
    }
    expect(changes).toBeGreaterThan(450)
  })
})

/** The days within which a zone's clocks change, found without core. */
function changesOf(zone: string, fromMs: number, toMs: number): number[] {
  const offset = (ms: number) => wallClock(zone, ms) - ms
  const changes: number[] = []
  for (let ms = fromMs; ms < toMs; ms += 5 * DAY_MS) {
    if (offset(ms) === offset(ms + 5 * DAY_MS)) continue
    let day = ms
    while (offset(day + DAY_MS) === offset(day)) day += DAY_MS
    changes.push(day + DAY_MS / 2)
  }
  return changes
}

describe('each time of a cron schedule', () => {
  it('shows a matching wall time, or is the end of a gap that holds one, in any year to 2200', () => {
    const instant = fc.integer({ min: 0, max: Date.UTC(2200, 0, 1) / 1000 })
    fc.assert(
      fc.property(anyZone, instant, randomCron(), (zone, second, cron) => {
        const schedule = parse({ cron: cron.text, timezone: zone })
        for (const ms of schedule === null ? [] : nextTimes(schedule, second * 1000, 5)) {
          const wall = wallClock(zone, ms)
          const before = wallClock(zone, ms - 1000)
          const gap = Array.from(
            { length: Math.max(0, (wall - before) / 1000 - 1) },
            (_, i) => before + (i + 1) * 1000,
          )
          expect([wall, ...gap].some(w => matches(cron.match, w))).toBe(true)
        }
      }),
      { numRuns: 300 },
    )
  })
})

function matches(match: WallMatch, wallMs: number): boolean {
  const wall = new Date(wallMs)
  return (
    match.day(wall.getUTCFullYear(), wall.getUTCMonth() + 1, wall.getUTCDate(), wall.getUTCDay()) &&
    match.hours.has(wall.getUTCHours()) &&
    match.minutes.has(wall.getUTCMinutes()) &&
    match.seconds.has(wall.getUTCSeconds())
  )
}
