import { describe, expect, it } from 'vitest'
import { parseSchedule } from './parse-schedule.ts'
import type { ScheduleFields } from './schedule.ts'
import { ScheduleError } from './schedule-error.ts'

const anchor = { createdAtMs: Date.parse('2026-05-01T00:00:00Z') }

/** Sends fields as they come off the wire, of any type. */
function errorOf(fields: Record<string, unknown>): ScheduleError {
  try {
    parseSchedule(fields as ScheduleFields, anchor)
  } catch (error) {
    if (error instanceof ScheduleError) return error
    throw error
  }
  throw new Error(`accepted ${JSON.stringify(fields)}`)
}

const fieldsOf = (error: ScheduleError) => error.issues.map(issue => issue.field)

describe('parseSchedule', () => {
  it('fills in the defaults and writes instants in UTC', () => {
    const fields = {
      cron: '  0\t3 *  * * ',
      from: '2026-12-01T01:00:00+01:00',
      to: '2026-12-02T00:00:00.250Z',
    }
    const schedule = parseSchedule(fields, anchor)
    expect(schedule.fields).toEqual({
      cron: '0 3 * * *',
      interval_minutes: null,
      at: null,
      timezone: 'UTC',
      dialect: 'standard',
      from: '2026-12-01T00:00:00Z',
      to: '2026-12-02T00:00:00.250Z',
    })
  })

  it('gives the same schedule for the fields it stored', () => {
    const first = parseSchedule(
      { cron: '@daily', timezone: 'asia/calcutta', to: '2030-01-01T00:00:00+05:30' },
      anchor,
    )
    expect(parseSchedule(first.fields, anchor)).toEqual(first)
  })

  it('cannot be changed', () => {
    const schedule = parseSchedule({ cron: '@daily' }, anchor)
    expect(Object.isFrozen(schedule) && Object.isFrozen(schedule.fields)).toBe(true)
  })

  it('takes null for absent', () => {
    const absent = { interval_minutes: null, at: null, timezone: null, dialect: null, from: null, to: null }
    expect(parseSchedule({ cron: '@daily', ...absent }, anchor).kind).toBe('cron')
    expect(parseSchedule({ ...absent, interval_minutes: 5, cron: null }, anchor).kind).toBe('interval')
    expect(parseSchedule({ ...absent, at: '2026-12-01T00:00:00Z' }, anchor).kind).toBe('at')
  })

  it('names every offending field at once', () => {
    const error = errorOf({
      cron: '60 * * * *',
      interval_minutes: 0,
      at: 'noon',
      timezone: 'Mars/Olympus',
      dialect: 'quartz',
      from: '2026-12-01',
      to: 5,
    })
    expect(new Set(fieldsOf(error))).toEqual(
      new Set(['cron', 'interval_minutes', 'at', 'timezone', 'dialect', 'from', 'to']),
    )
    expect(error.message).toContain('60')
  })

  it('wants exactly one of cron, interval_minutes and at', () => {
    expect(fieldsOf(errorOf({}))).toEqual(['cron'])
    expect(errorOf({}).message).toContain('exactly one of cron, interval_minutes and at')
    expect(fieldsOf(errorOf({ cron: '@daily', interval_minutes: 5 }))).toEqual(['cron', 'interval_minutes'])
    expect(fieldsOf(errorOf({ cron: '@daily', at: '2026-12-01T00:00:00Z' }))).toEqual(['cron', 'at'])
  })

  it('refuses to before from on to, and takes an instant for a window', () => {
    const from = '2026-12-01T00:00:00Z'
    expect(fieldsOf(errorOf({ cron: '@daily', from, to: '2026-11-30T23:59:59.999Z' }))).toEqual(['to'])
    expect(parseSchedule({ cron: '@daily', from, to: from }, anchor).fields.to).toBe(from)
  })

  it('refuses from and to with at', () => {
    const at = '2026-12-01T00:00:00Z'
    expect(fieldsOf(errorOf({ at, from: at, to: at }))).toEqual(['from', 'to'])
  })

  it.each([0, -5, 1.5, '5', true, Number.NaN, Number.POSITIVE_INFINITY, 5_256_001, [5], {}, 5n])(
    'refuses an interval of %s, saying what is allowed',
    interval_minutes => {
      const error = errorOf({ interval_minutes })
      expect(fieldsOf(error)).toEqual(['interval_minutes'])
      expect(error.message).toContain('a whole number of minutes from 1 to 5256000')
    },
  )

  it.each([5, true, ['0 3 * * *'], {}, ''])('refuses %j for each field of text', value => {
    expect(fieldsOf(errorOf({ cron: value }))).toContain('cron')
    expect(fieldsOf(errorOf({ at: value }))).toContain('at')
    expect(fieldsOf(errorOf({ cron: '@daily', timezone: value }))).toEqual(['timezone'])
    expect(fieldsOf(errorOf({ cron: '@daily', from: value }))).toEqual(['from'])
    expect(fieldsOf(errorOf({ cron: '@daily', dialect: value }))).toEqual(['dialect'])
  })

  it('names each wrong field of an expression, and what it may hold', () => {
    const { message } = errorOf({ cron: '60 24 0 13 8' })
    expect(message).toContain('minute: "60" is out of range (allowed: 0 to 59)')
    expect(message).toContain('hour: "24" is out of range (allowed: 0 to 23)')
    expect(message).toContain('day of month: "0" is out of range (allowed: 1 to 31)')
    expect(message).toContain('month: "13" is out of range (allowed: 1 to 12 or jan to dec)')
    expect(message).toContain('day of week: "8" is out of range (allowed: 0 to 7, where 0 and 7 are Sunday')
  })

  it('refuses a creation time that is no number', () => {
    expect(() => parseSchedule({ cron: '@daily' }, { createdAtMs: Number.NaN })).toThrow(RangeError)
  })
})
