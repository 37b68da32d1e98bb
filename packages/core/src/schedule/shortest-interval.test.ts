import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { randomCron } from '../../test/cron-arbitrary.ts'
import { readCron } from './cron-expression.ts'
import { parseSchedule } from './parse-schedule.ts'
import type { ScheduleFields } from './schedule.ts'
import { timesBetween } from './schedule-times.ts'
import { shortestIntervalMs } from './shortest-interval.ts'

const DAY_S = 86_400
const shortest = (fields: ScheduleFields) =>
  shortestIntervalMs(parseSchedule(fields, { createdAtMs: 0 })) / 1000

describe('shortestIntervalMs', () => {
  it.each([
    ['* * * * *', 60],
    ['*/15 * * * *', 900],
    ['*/50 * * * *', 600],
    ['0,58 * * * *', 120],
    ['0,58 5 * * *', 3_480],
    ['59 5,6 * * *', 3_600],
    ['0,59 5,6 * * *', 60],
    ['0 3 * * *', DAY_S],
    ['0,59 0,23 * * *', 60],
    ['59 0,23 1 * *', 82_800],
    ['0 3 * * mon', 7 * DAY_S],
    ['0 3 * * mon,tue', DAY_S],
    ['0 3 * * sun,mon', DAY_S],
    ['0 0 1 * *', 28 * DAY_S],
    ['0 0 31 * *', 31 * DAY_S],
    ['0 0 1,31 * *', DAY_S],
    ['0 0 1 1 *', 365 * DAY_S],
    ['0 0 29 2 *', 1_461 * DAY_S],
    ['0 0 28 2 *', 365 * DAY_S],
    ['0 0 13 * fri', DAY_S],
  ])('of %s is %i seconds', (cron, seconds) => {
    expect(shortest({ cron })).toBe(seconds)
  })

  it.each([
    ['* * * * * *', 1],
    ['*/20 * * * * *', 20],
    ['*/17 * * * * *', 9],
    ['0,50 * * * * *', 10],
    ['0,50 30 * * * *', 50],
    ['59 59 23 * * *', DAY_S],
    ['0 0 0 1 1 ? 2030', Number.POSITIVE_INFINITY],
    ['0 0 0 1 1 ? 2030,2034', 1_461 * DAY_S],
    ['0 0 0 31 12 ? 1970-2099/2', 730 * DAY_S],
  ])('of the extended %s is %d seconds', (cron, seconds) => {
    expect(shortest({ cron, dialect: 'extended' })).toBe(seconds)
  })

  it('of an interval is the interval, and of one instant has no end', () => {
    expect(shortest({ interval_minutes: 5 })).toBe(300)
    expect(shortest({ at: '2026-12-01T00:00:00Z' })).toBe(Number.POSITIVE_INFINITY)
  })

  const smallestDistance = (times: number[]) =>
    times
      .slice(1)
      .reduce((smallest, ms, i) => Math.min(smallest, ms - (times[i] ?? 0)), Number.POSITIVE_INFINITY)

  it('is the smallest distance over two days, for any times of day on every day', () => {
    fc.assert(
      fc.property(randomCron(), fc.constantFrom('0', '7', '0,20,50', '58-59'), ({ text }, second) => {
        const [minute, hour] = text.split(' ')
        const schedule = parseSchedule(
          { cron: `${second} ${minute} ${hour} * * *`, dialect: 'extended' },
          { createdAtMs: 0 },
        )
        const times = timesBetween(schedule, 0, 2 * DAY_S * 1000, Number.POSITIVE_INFINITY)
        expect(shortestIntervalMs(schedule)).toBe(smallestDistance(times))
      }),
      { numRuns: 150 },
    )
  })

  it('is the smallest distance over 29 years, for any days at one time of day', () => {
    const [from, to] = [Date.UTC(1972, 0, 1), Date.UTC(2001, 0, 1)]
    let looked = 0
    fc.assert(
      fc.property(randomCron(), ({ text }) => {
        const cron = ['30 4', ...text.split(' ').slice(2)].join(' ')
        if (readCron(cron, 'standard') === null) return
        looked++
        const schedule = parseSchedule({ cron }, { createdAtMs: 0 })
        const times = timesBetween(schedule, from, to, Number.POSITIVE_INFINITY)
        expect(shortestIntervalMs(schedule)).toBe(smallestDistance(times))
      }),
      { numRuns: 60 },
    )
    expect(looked).toBeGreaterThan(30)
  })
})
