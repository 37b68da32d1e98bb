import { describe, expect, it } from 'vitest'
import type { Dialect } from './cron-field.ts'
import { parseSchedule } from './parse-schedule.ts'
import { ScheduleError, type ScheduleSuggestion } from './schedule-error.ts'

function refusal(cron: string, dialect: Dialect = 'standard'): ScheduleError {
  try {
    parseSchedule({ cron, dialect }, { createdAtMs: 0 })
  } catch (error) {
    if (error instanceof ScheduleError) return error
    throw error
  }
  throw new Error(`accepted ${cron}`)
}

describe('a refused expression', () => {
  const reasons: [string, Dialect, string][] = [
    ['', 'standard', 'is empty; the standard dialect takes five'],
    [' \t ', 'standard', 'is empty'],
    ['* * * *', 'standard', 'has 4 fields'],
    ['*', 'extended', 'has one field; the extended dialect takes five to seven'],
    ['0 0 * *\n*', 'standard', 'only spaces and tabs separate fields'],
    ['0\u00a00 * * *', 'standard', 'only spaces and tabs separate fields'],
    ['١ * * * *', 'standard', 'only plain ASCII characters'],
    ['0 0 * * *\0', 'standard', 'holds the character "\\u{0}"'],
    ['1,,2 * * * *', 'standard', 'minute: a list has an empty item'],
    ['*/0 * * * *', 'standard', 'the step "0" is not a whole number from 1 to 9999'],
    ['*/10000 * * * *', 'standard', 'the step "10000" is not a whole number from 1 to 9999'],
    ['*/2/2 * * * *', 'standard', 'has two steps'],
    ['1-2-3 * * * *', 'standard', 'is not a range such as 1-5'],
    ['* * * * 5-1', 'standard', 'day of week: the range "5-1" runs backwards'],
    ['jan * * * *', 'standard', 'minute: "jan" is not a value of this field'],
    ['0x1 * * * *', 'standard', 'minute: "0x1" is not a value'],
    ['0 0 ? * *', 'standard', '? belongs to the extended dialect'],
    ['? * * * * *', 'extended', '? may only stand in the two day fields'],
    ['0 0 0 ?/2 * * *', 'extended', '? stands alone'],
    ['0 0 L * *', 'standard', 'L, W, # and $ (last day, nearest working day, nth weekday)'],
    ['0 0 12 ? * 6#3', 'standard', 'L, W, # and $'],
    ['0 0 30 2 *', 'standard', 'day of month: "30" never comes in month "2"'],
    ['0 0 0 29 2 ? 2027,2029', 'extended', '"29" never comes in month "2" of the year "2027,2029"'],
    ['0 0 0 29 2 */7 2028', 'extended', 'on a day of week "*/7"'],
    ['@reboot', 'standard', '@reboot has no clock time'],
    [`${'1,'.repeat(600)}1 * * * *`, 'standard', 'is 1209 characters long; at most 1000'],
  ]

  it.each(reasons)('%j (%s) says why', (cron, dialect, reason) => {
    const error = refusal(cron, dialect)
    expect(error.issues.map(i => i.field)).toEqual(['cron'])
    expect(error.message).toContain(reason)
  })

  it('is shown only in part when it is long, and never with what could break a line', () => {
    const { message } = refusal(`${'\u202e\n\0x'.repeat(200)} * * * *`)
    expect(message.length).toBeLessThan(400)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: their absence is what is tested
    expect(message).not.toMatch(/[\u0000-\u001f\u202e]/)
  })
})

describe('a form of another scheduler', () => {
  const forms: [string, string, ScheduleSuggestion | null][] = [
    ['the printed misprint of the guide', '/15 * * *', { cron: '*/15 * * * *' }],
    ['capital macro', '@DAILY', { cron: '@daily' }],
    ['macro of a library', '@weekdays', { cron: '0 0 * * 1-5' }],
    ['macro with its command', '@daily /usr/bin/backup', { cron: '@daily' }],
    ['crontab line', '0 5 * * * /usr/bin/curl -s https://example.com', { cron: '0 5 * * *' }],
    ['quoted', '"0 3 * * *"', { cron: '0 3 * * *' }],
    ['typographic dash', '0 9 * * mon–fri', { cron: '0 9 * * mon-fri' }],
    ['full-width', '０ ３ ＊ ＊ ＊', { cron: '0 3 * * *' }],
    ['line break', '0 3 * *\n*', { cron: '0 3 * * *' }],
    ['AWS cron()', 'cron(0 10 ? * 2-6 *)', { cron: '0 10 * * 1-5' }],
    ['AWS with a year', '0 10 1 1 ? 2030', { cron: '0 10 1 1 * 2030', dialect: 'extended' }],
    ['AWS rate()', 'rate(5 minutes)', { interval_minutes: 5 }],
    ['App Engine', 'every 24 hours', { interval_minutes: 1_440 }],
    ['Go @every', '@every 1h30m', { interval_minutes: 90 }],
    ['Go @every with a fraction', '@every 1.5h', { interval_minutes: 90 }],
    ['Go @every of seconds', '@every 15s', { cron: '*/15 * * * * *', dialect: 'extended' }],
    ['Go @every of seconds that fit no minute', '@every 45s', null],
    ['Go zone', 'CRON_TZ=Asia/Tokyo 0 4 * * *', { cron: '0 4 * * *', timezone: 'Asia/Tokyo' }],
    ['unknown zone', 'CRON_TZ=Mars/Olympus 0 4 * * *', null],
    ['half an hour step', '*/7.5 * * * *', null],
    ['half a minute step that is whole', '0 */2.5 * * *', { interval_minutes: 150 }],
    ['Quartz weekdays', '0 0 9 ? * 2-6', { cron: '0 9 * * 1-5' }],
    ['Quartz weekday with a step', '0 0 9 ? * 1-7/2', { cron: '0 9 * * 0-6/2' }],
    ['full names', '0 9 * * Monday,wednesday', { cron: '0 9 * * Mon,wed' }],
    ['names of four letters', '0 9 1 sept tues-thurs', { cron: '0 9 1 sep tue-thu' }],
    ['weekdays over Sunday', '0 9 * * fri-mon', { cron: '0 9 * * fri-sat,sun-mon' }],
    ['weekdays to Sunday', '0 9 * * FRI-SUN', { cron: '0 9 * * FRI-SAT,SUN' }],
    ['months over New Year', '0 9 1 nov-feb *', { cron: '0 9 1 nov-dec,jan-feb *' }],
    ['days over the month', '0 9 28-3 * *', { cron: '0 9 28-31,1-3 * *' }],
    ['hours over midnight, stepped', '0 22-6/2 * * *', { cron: '0 22,0,2,4,6 * * *' }],
    ['last hour over midnight', '0 23-2 * * *', { cron: '0 23,0-2 * * *' }],
    ['n/step from the field\u2019s end', '50/20 * * * *', { cron: '50 * * * *' }],
    ['hour 24', '0 24 * * *', { cron: '0 0 * * *' }],
    ['minute and hour swapped', '3 45 * * *', { cron: '45 3 * * *' }],
    ['no clock time', '@reboot', null],
    ['minute 60', '60 * * * *', null],
    ['L', '0 0 L * *', null],
    ['wrapped years', '0 0 0 1 1 ? 2030-2027', null],
    ['garbage', 'every now and then', null],
  ]

  it.each(forms)('%s: %s', (_name, cron, expected) => {
    const error = refusal(cron)
    expect(error.suggestion).toEqual(expected)
    if (expected === null) return
    if (expected.cron !== undefined) expect(error.message).toContain(`Write \`${expected.cron}\``)
    expect(() => parseSchedule(expected, { createdAtMs: 0 })).not.toThrow()
  })

  it.each([
    'H * * * *',
    'H H * * *',
    'H/15 * * * *',
    'H(0-29)/10 * * * *',
    'H H(0-7) * * H',
    '0~30 3 * * *',
    'H H H * *',
  ])('%s gets an example with fixed values, the same each time', cron => {
    const { suggestion, message } = refusal(cron)
    expect(suggestion).toEqual(refusal(cron).suggestion)
    expect(message).toContain('for example')
    expect(() => parseSchedule({ ...suggestion }, { createdAtMs: 0 })).not.toThrow()
  })
})
