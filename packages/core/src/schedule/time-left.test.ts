import { describe, expect, it } from 'vitest'
import { parseSchedule } from './parse-schedule.ts'
import type { ScheduleFields } from './schedule.ts'
import { noTimeLeft } from './time-left.ts'

const NOW = Date.parse('2026-05-01T00:00:00Z')
const left = (fields: ScheduleFields) => noTimeLeft(parseSchedule(fields, { createdAtMs: NOW }), NOW)

describe('noTimeLeft', () => {
  it('is null while a time is left', () => {
    expect(left({ cron: '0 3 * * *' })).toBeNull()
    expect(left({ interval_minutes: 5, from: '2020-01-01T00:00:00Z' })).toBeNull()
    expect(left({ at: '2026-05-01T00:00:00.001Z' })).toBeNull()
    expect(left({ cron: '0 3 * * *', to: '2026-05-01T03:00:00Z' })).toBeNull()
  })

  it.each<[string, ScheduleFields]>([
    ['at', { at: '2026-05-01T00:00:00Z' }],
    ['to', { cron: '0 3 * * *', to: '2026-05-01T02:59:59Z' }],
    ['to', { cron: '0 3 * * *', to: '2020-01-01T00:00:00Z' }],
    ['to', { interval_minutes: 60, to: '2026-05-01T00:59:59Z' }],
    ['to', { cron: '0 0 1 1 *', from: '2027-02-01T00:00:00Z', to: '2027-03-01T00:00:00Z' }],
    ['cron', { cron: '0 0 0 1 1 ? 2020', dialect: 'extended' }],
    ['cron', { cron: '0 0 0 1 1 ? 2020', dialect: 'extended', to: '2030-01-01T00:00:00Z' }],
    ['cron', { cron: '0 0 0 1 1 ? 2028', dialect: 'extended', from: '2029-01-01T00:00:00Z' }],
    [
      'from',
      { interval_minutes: 5_256_000, to: '9999-12-31T23:59:59.999Z', from: '9999-12-31T23:59:59.999Z' },
    ],
  ])('names %s for %j', (field, fields) => {
    const found =
      field === 'from'
        ? noTimeLeft(parseSchedule(fields, { createdAtMs: NOW }), Date.parse('9999-12-31T23:59:59.999Z'))
        : left(fields)
    expect(found?.field).toBe(field)
    expect(found?.message.length).toBeGreaterThan(10)
  })
})
