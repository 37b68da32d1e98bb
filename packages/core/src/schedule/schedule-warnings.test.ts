import { describe, expect, it } from 'vitest'
import type { Dialect } from './cron-field.ts'
import { parseSchedule } from './parse-schedule.ts'
import type { ScheduleFields } from './schedule.ts'
import { scheduleWarnings } from './schedule-warnings.ts'

const NOW = Date.parse('2026-05-01T00:00:00Z')

function warnings(fields: ScheduleFields, nowMs = NOW) {
  return scheduleWarnings(parseSchedule(fields, { createdAtMs: NOW }), nowMs)
}

const codes = (cron: string, dialect: Dialect = 'standard') => warnings({ cron, dialect }).map(w => w.code)

describe('scheduleWarnings', () => {
  it.each([
    ['0 3 * * *', []],
    ['*/15 * * * *', []],
    ['*/50 * * * *', ['uneven_step']],
    ['0-59/7 * * * *', ['uneven_step']],
    ['3-59/25 * * * *', ['uneven_step']],
    ['0 */5 * * *', ['uneven_step']],
    ['0 0 1 */5 *', ['uneven_step']],
    ['0 0 * * */2', ['uneven_step']],
    ['2-59/5 * * * *', []],
    ['0 9-17/3 * * *', []],
    ['0 0 */2 * *', []],
    ['0,30 1-23/4 * * *', []],
    ['*/90 * * * *', ['step_beyond_range']],
    ['*/60 * * * *', ['step_beyond_range']],
    ['14 16-23/24 * * *', ['step_beyond_range']],
    ['17 23-23/24 * * *', ['step_beyond_range']],
    ['0 0 * * */7', ['step_beyond_range']],
    ['0 5-5/1 * * *', []],
    ['* 16 * * *', ['every_minute_of_hour']],
    ['*/1 9-17 * * *', ['every_minute_of_hour']],
    ['* * * * 1', []],
    ['0 0 13 * fri', ['day_or_weekday']],
    ['0 0 1-31 * mon', ['day_or_weekday']],
    ['0 0 */2 * mon', ['day_or_weekday']],
    ['0 0 */1 * mon', []],
    ['0 0 * * mon', []],
    ['*/7 9 13 * fri', ['uneven_step', 'day_or_weekday']],
    ['* */24 * * *', ['step_beyond_range', 'every_minute_of_hour']],
  ])('for %s are %j', (cron, expected) => {
    expect(codes(cron)).toEqual(expected)
  })

  it.each([
    ['0 0 9 ? * 2-6', ['weekday_numbers']],
    ['0 0 9 ? * MON-FRI', []],
    ['0 0 9 ? * */7', ['step_beyond_range']],
    ['0 0 9 * * 1-5', []],
    ['*/17 * * * * *', ['uneven_step']],
    ['* 30 * * * *', ['every_minute_of_hour']],
    ['* * * * * *', []],
    ['0 0 0 1 1 ? 2026-2028/5', ['step_beyond_range']],
  ])('for the extended %s are %j', (cron, expected) => {
    expect(codes(cron, 'extended')).toEqual(expected)
  })

  it('say what happens instead, and how to get what was meant', () => {
    expect(warnings({ cron: '*/90 * * * *' })).toEqual([
      {
        code: 'step_beyond_range',
        field: 'cron',
        message:
          'minute: the step 90 in "*/90" goes beyond the range 0-59, so that only 0 matches. For every 90 minutes use interval_minutes: 90.',
      },
    ])
    expect(warnings({ cron: '0 */5 * * *' })[0]?.message).toBe(
      'hour: the step 5 in "*/5" starts anew with every day: it matches 0, 5, 10, 15 and 20, and from 20 it is 4 hours to the next. For every 5 hours use interval_minutes: 300.',
    )
    expect(warnings({ cron: '* 16 * * *' })[0]?.message).toContain('in each of the 60 minutes')
    expect(warnings({ cron: '0 0 13 * fri' })[0]?.message).toContain('if either does')
    expect(warnings({ cron: '0 0 */2 * mon' })[0]?.message).toContain('must match')
    expect(warnings({ cron: '0 0 9 ? * 2-6', dialect: 'extended' })[0]?.message).toContain(
      'Tuesdays to Saturdays',
    )
  })

  it('are none for an interval and for an instant', () => {
    expect(warnings({ interval_minutes: 90, timezone: 'Europe/Stockholm' })).toEqual([])
    expect(warnings({ at: '2026-10-25T00:30:00Z', timezone: 'Europe/Stockholm' })).toEqual([])
  })
})

describe('warnings about changes of the clocks', () => {
  const stockholm = (cron: string, more: ScheduleFields = {}, nowMs = NOW) =>
    warnings({ cron, timezone: 'Europe/Stockholm', ...more }, nowMs).map(w => `${w.code}: ${w.message}`)

  it('name the next skipped and the next repeated time, with dates, and say what happens', () => {
    expect(stockholm('30 2 * * *')).toEqual([
      'dst_skipped_hour: On 2027-03-28 the clocks of Europe/Stockholm go forward from 02:00 to 03:00: 02:30 does not exist then, and it runs at 03:00.',
      'dst_repeated_hour: On 2026-10-25 the clocks of Europe/Stockholm go back from 03:00 to 02:00: 02:30 comes twice, and runs only the first time.',
    ])
  })

  it('count several times of one gap as one run, and point out the pause of an hourly rhythm', () => {
    const [skipped] = stockholm('*/15 2 * * *')
    expect(skipped).toContain(
      'the times from 02:00 to 02:45 do not exist then, and they are one run at 03:00.',
    )
    expect(stockholm('*/15 * * * *')).toEqual([
      'dst_repeated_hour: On 2026-10-25 the clocks of Europe/Stockholm go back from 03:00 to 02:00: the times from 02:00 to 02:45 come twice, and run only the first time. To run on through the second pass, use interval_minutes.',
    ])
    expect(stockholm('20 * * * *')[0]).toContain('02:20 does not exist then, and it runs at 03:00.')
  })

  it('are none where no time falls into a change, and none in a zone without changes', () => {
    expect(stockholm('0 3 * * *')).toEqual([])
    expect(stockholm('30 2 * * mon')).toEqual([])
    expect(stockholm('30 2 * jun *')).toEqual([])
    expect(warnings({ cron: '30 2 * * *', timezone: 'Asia/Tokyo' })).toEqual([])
    expect(warnings({ cron: '30 2 * * *' })).toEqual([])
  })

  it('look from now on, or from `from`, and no further than `to`', () => {
    const winter = Date.parse('2026-11-01T00:00:00Z')
    expect(stockholm('30 2 * * *', {}, winter)[1]).toContain('On 2027-10-31')
    expect(stockholm('30 2 * * *', { from: '2028-01-01T00:00:00Z' })[0]).toContain('On 2028-03-26')
    expect(stockholm('30 2 * * *', { to: '2026-10-24T00:00:00Z' })).toEqual([])
    expect(stockholm('30 2 * * *', { to: '2026-12-01T00:00:00Z' }).map(w => w.slice(0, 17))).toEqual([
      'dst_repeated_hour',
    ])
  })

  it('know half hours, midnights and a day that a zone left out', () => {
    const messages = (cron: string, timezone: string, now: string) =>
      warnings({ cron, timezone }, Date.parse(now)).map(w => w.message)
    expect(messages('15 2 * * *', 'Australia/Lord_Howe', '2026-05-01T00:00:00Z')).toEqual([
      'On 2026-10-04 the clocks of Australia/Lord_Howe go forward from 02:00 to 02:30: 02:15 does not exist then, and it runs at 02:30.',
    ])
    expect(messages('30 23 * * *', 'America/Sao_Paulo', '2018-01-01T00:00:00Z')).toEqual([
      'On 2018-02-17 the clocks of America/Sao_Paulo go back from 00:00 to 23:00: 23:30 comes twice, and runs only the first time.',
    ])
    expect(messages('0 12 30 12 *', 'Pacific/Apia', '2011-06-01T00:00:00Z')).toEqual([
      'On 2011-12-30 the clocks of Pacific/Apia go forward from 00:00 to 00:00 on 2011-12-31: 12:00 does not exist then, and it runs at 00:00 on 2011-12-31.',
    ])
  })
})
