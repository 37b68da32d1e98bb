import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { randomCron } from '../../test/cron-arbitrary.ts'
import { describeSchedule } from './describe-schedule.ts'
import { parseSchedule } from './parse-schedule.ts'
import type { ScheduleFields } from './schedule.ts'
import { ScheduleError } from './schedule-error.ts'
import { timesBetween } from './schedule-times.ts'

const words = (fields: ScheduleFields) => describeSchedule(parseSchedule(fields, { createdAtMs: 0 }))

describe('describeSchedule', () => {
  it.each([
    ['*/15 * * * *', 'Every 15 minutes'],
    ['0 * * * *', 'Every hour, on the hour'],
    ['@hourly', 'Every hour, on the hour'],
    ['0 3 * * *', 'Every day at 03:00'],
    ['0 9 * * mon-fri', 'Weekdays at 09:00'],
    ['30 4 * * sun', 'Sundays at 04:30'],
    ['0 0 1 * *', 'The 1st of every month at 00:00'],
    ['0 0 13 * fri', 'The 13th of every month and all Fridays at 00:00'],
    ['* * * * *', 'Every minute'],
    ['20 * * * *', 'Every hour at minute 20'],
    ['0 8,20 * * *', 'Every day at 08:00 and 20:00'],
    ['0 */4 * * *', 'Every 4 hours from 00:00'],
    ['30 1-23/2 * * *', 'Every 2 hours from 01:30'],
    ['2-59/5 * * * *', 'Every 5 minutes from minute 2 of every hour'],
    ['*/20 9-17 * * 1-5', 'Every 20 minutes from 09:00 to 17:59 on weekdays'],
    ['*/5 0-3,12 * * *', 'Every 5 minutes of the hours 0 to 3 and 12'],
    ['1,2,3,10 * * * *', 'At minutes 1 to 3 and 10 of every hour'],
    ['0 0 * * 7', 'Sundays at 00:00'],
    ['0 0 * * 6,0', 'Weekends at 00:00'],
    ['0 0 * * 2-7', 'Tuesdays to Sundays at 00:00'],
    ['0 0 25 12 *', 'Every 25 December at 00:00'],
    ['0 0 1,15 1,7 *', 'The 1st and 15th of January and July at 00:00'],
    ['0 0 * 6-8 *', 'Every day in June to August at 00:00'],
    ['0 0 1-31 * mon', 'Every day at 00:00'],
    ['0 0 */15 * mon', 'Mondays that fall on the 1st, 16th and 31st of every month at 00:00'],
    ['*/10 * 1 1 *', 'Every 10 minutes on every 1 January'],
  ])('reads %s as "%s"', (cron, expected) => {
    expect(words({ cron })).toBe(expected)
    expect(words({ cron, dialect: 'extended' })).toBe(expected)
  })

  it.each([
    ['0 0 2 * * * *', 'Every day at 02:00'],
    ['30 0 2 ? * mon *', 'Mondays at 02:00:30'],
    ['*/20 * * * * *', 'Every 20 seconds'],
    ['* * * * * *', 'Every second'],
    ['10 * * * * *', 'At second 10 of every minute'],
    ['0,1,2,30 15 * * * *', 'At seconds 0 to 2 and 30 of the minute 15 of every hour'],
    ['*/30 * 9 * * mon', 'Every 30 seconds of every minute of the hour 9 on Mondays'],
    ['0 0 12 1 1 ? 2027,2030', 'Every 1 January at 12:00, in 2027 and 2030'],
    ['0 0 12 1 1 ? 2026-2028', 'Every 1 January at 12:00, in 2026 to 2028'],
  ])('reads the extended %s as "%s"', (cron, expected) => {
    expect(words({ cron, dialect: 'extended' })).toBe(expected)
  })

  it.each([
    [1, 'Every minute'],
    [5, 'Every 5 minutes'],
    [60, 'Every hour'],
    [90, 'Every 90 minutes'],
    [1_440, 'Every 24 hours'],
    [10_080, 'Every 7 × 24 hours'],
  ])('reads an interval of %i minutes as "%s"', (interval_minutes, expected) => {
    expect(words({ interval_minutes })).toBe(expected)
  })

  it('reads an instant in UTC', () => {
    expect(words({ at: '2026-12-01T10:00:00+01:00' })).toBe('Once, at 2026-12-01T09:00:00Z')
  })

  it('gives two expressions the same words only if they have the same times', () => {
    const from = Date.parse('2027-01-01T00:00:00Z')
    const to = Date.parse('2029-01-01T00:00:00Z')
    const times = new Map<string, number[]>()
    const short = fc.oneof(
      fc.tuple(
        fc.nat(2),
        fc.nat(2),
        fc.integer({ min: 1, max: 2 }),
        fc.constantFrom('*', '1', '1,2'),
        fc.constantFrom('*', '1', '0-6'),
      ),
      fc.tuple(
        fc.constantFrom('*', '*/30', '0,30', '1'),
        fc.constantFrom('*', '0-1', '*/12'),
        fc.constantFrom('*', '*/2', '1-31', '2'),
        fc.constant('*'),
        fc.constantFrom('*', '1', '*/2', '1-5'),
      ),
    )
    const expressions = fc.oneof(
      { weight: 4, arbitrary: short.map(fields => ({ cron: fields.join(' ') })) },
      { weight: 1, arbitrary: randomCron().map(({ text }) => ({ cron: text })) },
      {
        weight: 1,
        arbitrary: randomCron(true).map(({ text }) => ({ cron: text, dialect: 'extended' as const })),
      },
    )
    let same = 0
    fc.assert(
      fc.property(expressions, fields => {
        const schedule = readable(fields)
        if (schedule === null) return
        const text = describeSchedule(schedule)
        const found = timesBetween(schedule, from, to, 300)
        if (times.has(text)) same++
        expect(found).toEqual(times.get(text) ?? found)
        times.set(text, found)
      }),
      { numRuns: 1_500 },
    )
    expect(same).toBeGreaterThan(50)
  })
})

function readable(fields: ScheduleFields) {
  try {
    return parseSchedule(fields, { createdAtMs: 0 })
  } catch (error) {
    if (error instanceof ScheduleError) return null
    throw error
  }
}
