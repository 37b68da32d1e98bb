import fc from 'fast-check'
import { IANAZone } from 'luxon'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { Dialect } from './cron-field.ts'
import { describeSchedule } from './describe-schedule.ts'
import { parseSchedule } from './parse-schedule.ts'
import type { ScheduleFields } from './schedule.ts'
import { ScheduleError } from './schedule-error.ts'
import { lastTimeAtOrBefore, nextTimes } from './schedule-times.ts'
import { scheduleWarnings } from './schedule-warnings.ts'
import { shortestIntervalMs } from './shortest-interval.ts'

const NOW = Date.parse('2026-05-01T00:00:00Z')
const PIECES = [
  ...[
    '*',
    '?',
    '/',
    '-',
    ',',
    '~',
    '#',
    'L',
    'W',
    'H',
    '$',
    '@',
    '%',
    '0',
    '7',
    '31',
    '59',
    '2099',
    '9999999999',
  ],
  ...[
    'mon',
    'jan',
    'January',
    'TZ=',
    'CRON_TZ=Europe/Paris',
    'cron(',
    ')',
    'rate(',
    '@every ',
    '@daily',
    's',
    'h',
  ],
  ...[
    ' ',
    ' ',
    ' ',
    ' ',
    '\t',
    '\n',
    '\0',
    '\u00a0',
    '٣',
    '３',
    '😀',
    '\ud800',
    '__proto__',
    'constructor',
    '+02:00',
  ],
]
const dialect = fc.constantFrom<Dialect>('standard', 'extended')
const garbage = fc.oneof(
  fc.array(fc.constantFrom(...PIECES), { maxLength: 40 }).map(pieces => pieces.join('')),
  fc.string({ unit: 'binary', maxLength: 60 }),
)

/** Everything that is ever asked about a schedule; false where it was refused as it should be. */
function use(fields: Record<string, unknown>): boolean {
  try {
    const schedule = parseSchedule(fields as ScheduleFields, { createdAtMs: NOW })
    nextTimes(schedule, NOW, 5)
    lastTimeAtOrBefore(schedule, NOW)
    scheduleWarnings(schedule, NOW)
    describeSchedule(schedule)
    shortestIntervalMs(schedule)
    return true
  } catch (error) {
    if (!(error instanceof ScheduleError)) throw error
    expect(error.issues.length).toBeGreaterThan(0)
    expect(error.message.isWellFormed()).toBe(true)
    expect(error.message.length).toBeLessThan(3_000)
    return false
  }
}

describe('whatever is sent', () => {
  afterEach(() => {
    vi.restoreAllMocks()
  })

  it('in place of an expression is read or refused, and nothing else is thrown', () => {
    fc.assert(
      fc.property(garbage, dialect, (cron, d) => void use({ cron, dialect: d })),
      { numRuns: 3_000 },
    )
  })

  it('in place of any field is read or refused, and nothing else is thrown', () => {
    const value = fc.oneof(fc.anything(), garbage)
    const fields = fc.record({
      at: value,
      from: value,
      to: value,
      interval_minutes: value,
      timezone: value,
      dialect: value,
    })
    fc.assert(
      fc.property(fields, value, (rest, cron) => void use({ ...rest, cron })),
      { numRuns: 1_000 },
    )
  })

  it.each([
    ['a megabyte of stars', '*'.repeat(1_000_000)],
    ['a megabyte of commas', ','.repeat(1_000_000)],
    ['a megabyte of spaces', ' '.repeat(1_000_000)],
    ['a list of steps', `${'*/1,'.repeat(240)}* * * * *`],
    ['a list of ranges', `${'0-59/1,'.repeat(140)}1 * * * *`],
    ['durations', `@every ${'1h'.repeat(490)}`],
    ['brackets', `cron${'('.repeat(900)}`],
    ['a date that never comes', '0 0 31 2 *'],
    ['a date that never comes, in any month of thirty days', '0 0 31 2,4,6,9,11 *'],
    ['29 February of odd years', '0 0 0 29 2 ? 1971-2099/2'],
    ['29 February on a weekday that it has in no year named', '0 0 0 29 2 */7 2024,2028,2036'],
    ['every second of every year', '* * * * * * *'],
    ['the last second of 2099', '59 59 23 31 12 ? 2099'],
  ])('costs little: %s', (_what, cron) => {
    const months = vi.spyOn(Date, 'UTC')
    const offsets = vi.spyOn(IANAZone.prototype, 'offset')
    for (const d of ['standard', 'extended']) use({ cron, dialect: d, timezone: 'America/St_Johns' })
    expect(months.mock.calls.length).toBeLessThan(60_000)
    expect(offsets.mock.calls.length).toBeLessThan(2_000)
  })

  it('leaves nothing behind on prototypes', () => {
    use({ cron: '__proto__ constructor toString valueOf __proto__' })
    use({ cron: '@__proto__', timezone: '__proto__' })
    expect(Object.keys(Object.prototype)).toEqual([])
  })
})
