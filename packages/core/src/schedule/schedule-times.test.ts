import fc from 'fast-check'
import { IANAZone } from 'luxon'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { randomCron } from '../../test/cron-arbitrary.ts'
import { formatInstant } from './instant.ts'
import { parseSchedule } from './parse-schedule.ts'
import type { Schedule, ScheduleFields } from './schedule.ts'
import { ScheduleError } from './schedule-error.ts'
import { hasTimeAt, lastTimeAtOrBefore, nextTime, nextTimes, timesBetween } from './schedule-times.ts'

const CREATED = Date.parse('2026-05-01T10:20:30.987Z')
const parse = (fields: ScheduleFields) => parseSchedule(fields, { createdAtMs: CREATED })
const at = (text: string) => Date.parse(text)
const written = (times: (number | null)[]) => times.map(ms => (ms === null ? null : formatInstant(ms)))

const SOMEWHEN = fc.integer({ min: at('2020-01-01T00:00:00Z'), max: at('2040-01-01T00:00:00Z') })
const windowed = fc.record({
  timezone: fc.constantFrom(
    'UTC',
    'Europe/Stockholm',
    'America/St_Johns',
    'Australia/Lord_Howe',
    'Africa/Casablanca',
  ),
  from: fc.option(SOMEWHEN.map(formatInstant)),
  to: fc.option(SOMEWHEN.map(formatInstant)),
})
const when = fc.oneof(
  fc.oneof(randomCron(), randomCron(true)).map(({ text, dialect }) => ({ cron: text, dialect })),
  fc.integer({ min: 1, max: 100_000 }).map(interval_minutes => ({ interval_minutes })),
)

/** Null for what may rightly be refused: `to` before `from`, and dates that never come. */
function valid(fields: ScheduleFields): Schedule | null {
  try {
    return parse(fields)
  } catch (error) {
    if (error instanceof ScheduleError) return null
    throw error
  }
}

describe('the functions on a schedule', () => {
  it('agree with one another for any schedule, window and instant', () => {
    let looked = 0
    fc.assert(
      fc.property(when, windowed, SOMEWHEN, (fields, window, ms) => {
        const schedule = valid({ ...fields, ...window })
        if (schedule === null) return
        looked++
        const times = nextTimes(schedule, ms, 8)
        const { from, to } = schedule.fields
        let before = ms
        for (const time of times) {
          expect(time).toBeGreaterThan(before)
          expect(nextTime(schedule, before)).toBe(time)
          expect(nextTime(schedule, time - 1)).toBe(time)
          expect(hasTimeAt(schedule, time)).toBe(true)
          expect(lastTimeAtOrBefore(schedule, time)).toBe(time)
          expect(hasTimeAt(schedule, time - 1) && before < time - 1).toBe(false)
          if (before > ms) expect(lastTimeAtOrBefore(schedule, time - 1)).toBe(before)
          if (from !== null) expect(time).toBeGreaterThanOrEqual(at(from))
          if (to !== null) expect(time).toBeLessThanOrEqual(at(to))
          before = time
        }
        const end = times.at(-1) ?? ms + 1
        expect(timesBetween(schedule, ms + 1, end, 100)).toEqual(times)
        expect(timesBetween(schedule, ms + 1, end, 3)).toEqual(times.slice(0, 3))
        const last = lastTimeAtOrBefore(schedule, ms)
        if (last !== null) expect(nextTime(schedule, last)).toBe(times[0] ?? null)
        else expect(nextTime(schedule, Number.NEGATIVE_INFINITY)).toBe(times[0] ?? null)
      }),
      { numRuns: 600 },
    )
    expect(looked).toBeGreaterThan(300)
  })

  it('give no time for a count or limit of 0, and every time between two equal instants', () => {
    const schedule = parse({ cron: '0 * * * *' })
    const noon = at('2026-05-01T12:00:00Z')
    expect(nextTimes(schedule, noon, 0)).toEqual([])
    expect(timesBetween(schedule, noon, noon, 0)).toEqual([])
    expect(timesBetween(schedule, noon, noon, 9)).toEqual([noon])
    expect(timesBetween(schedule, noon, noon - 1, 9)).toEqual([])
  })

  it('take instants with a fraction of a millisecond, and infinite ones, but not NaN', () => {
    const schedule = parse({ cron: '0 12 * * *', to: '2026-06-01T00:00:00Z' })
    const noon = at('2026-05-01T12:00:00Z')
    expect(nextTime(schedule, noon - 0.5)).toBe(noon)
    expect(nextTime(schedule, noon + 0.5)).toBe(noon + 86_400_000)
    expect(lastTimeAtOrBefore(schedule, noon - 0.5)).toBe(noon - 86_400_000)
    expect(nextTime(schedule, Number.POSITIVE_INFINITY)).toBeNull()
    expect(nextTime(schedule, Number.NEGATIVE_INFINITY)).toBe(at('1970-01-01T12:00:00Z'))
    expect(lastTimeAtOrBefore(schedule, Number.NEGATIVE_INFINITY)).toBeNull()
    expect(lastTimeAtOrBefore(schedule, Number.POSITIVE_INFINITY)).toBe(at('2026-05-31T12:00:00Z'))
    expect(() => nextTime(schedule, Number.NaN)).toThrow(RangeError)
    expect(() => lastTimeAtOrBefore(schedule, Number.NaN)).toThrow(RangeError)
  })
})

describe('an interval', () => {
  it('without from counts from the creation cut to the second, and has no time then', () => {
    const schedule = parse({ interval_minutes: 90 })
    expect(written(nextTimes(schedule, 0, 2))).toEqual(['2026-05-01T11:50:30Z', '2026-05-01T13:20:30Z'])
    expect(lastTimeAtOrBefore(schedule, at('2026-05-01T11:50:29.999Z'))).toBeNull()
  })

  it('with from has its first time at from', () => {
    const schedule = parse({ interval_minutes: 90, from: '2026-12-01T00:00:00Z', to: '2026-12-01T03:00:00Z' })
    expect(written(nextTimes(schedule, 0, 9))).toEqual([
      '2026-12-01T00:00:00Z',
      '2026-12-01T01:30:00Z',
      '2026-12-01T03:00:00Z',
    ])
    expect(written([lastTimeAtOrBefore(schedule, at('2027-01-01T00:00:00Z'))])).toEqual([
      '2026-12-01T03:00:00Z',
    ])
  })

  it('keeps to its grid however long ago it began', () => {
    const schedule = parse({ interval_minutes: 7, from: '1970-01-01T00:00:01.5Z' })
    const next = nextTime(schedule, at('9000-01-01T00:00:00Z')) ?? 0
    expect((next - 1_500) % 420_000).toBe(0)
  })
})

describe('an instant', () => {
  it('comes once', () => {
    const schedule = parse({ at: '2026-12-01T09:00:00+01:00' })
    const time = at('2026-12-01T08:00:00Z')
    expect(nextTimes(schedule, time - 1, 5)).toEqual([time])
    expect(nextTime(schedule, time)).toBeNull()
    expect(lastTimeAtOrBefore(schedule, time - 1)).toBeNull()
    expect(lastTimeAtOrBefore(schedule, time)).toBe(time)
    expect(timesBetween(schedule, time, time, 5)).toEqual([time])
    expect(hasTimeAt(schedule, time)).toBe(true)
  })
})

describe('a sparse schedule', () => {
  afterEach(() => {
    vi.restoreAllMocks()
  })

  const may2026 = '2026-05-01T00:00:00Z'
  const extended = { dialect: 'extended' } as const
  const sparse: { fields: ScheduleFields; now: string; next: string | null; last: string | null }[] = [
    {
      fields: { cron: '0 0 29 2 *' },
      now: may2026,
      next: '2028-02-29T00:00:00Z',
      last: '2024-02-29T00:00:00Z',
    },
    {
      fields: { cron: '0 0 */28 2 mon' },
      now: may2026,
      next: '2027-02-01T00:00:00Z',
      last: '2021-02-01T00:00:00Z',
    },
    {
      fields: { cron: '0 0 29 2 */7' },
      now: may2026,
      next: '2032-02-29T00:00:00Z',
      last: '2004-02-29T00:00:00Z',
    },
    // 2100 is no leap year: the longest wait of any expression, 40 years.
    {
      fields: { cron: '0 0 29 2 */7' },
      now: '2110-01-01T00:00:00Z',
      next: '2128-02-29T00:00:00Z',
      last: '2088-02-29T00:00:00Z',
    },
    {
      fields: { cron: '0 0 0 31 12 ? 2099', ...extended },
      now: may2026,
      next: '2099-12-31T00:00:00Z',
      last: null,
    },
    {
      fields: { cron: '0 0 0 1 1 ? 1970', ...extended },
      now: '9999-01-01T00:00:00Z',
      next: null,
      last: '1970-01-01T00:00:00Z',
    },
  ]

  it.each(sparse)('costs little either way: $fields.cron from $now', ({ fields, now, next, last }) => {
    const schedule = parse(fields)
    const months = vi.spyOn(Date, 'UTC')
    const offsets = vi.spyOn(IANAZone.prototype, 'offset')
    expect(written([nextTime(schedule, at(now)), lastTimeAtOrBefore(schedule, at(now))])).toEqual([
      next,
      last,
    ])
    expect(months.mock.calls.length).toBeLessThan(1_500)
    expect(offsets.mock.calls.length).toBeLessThan(200)
  })
})
