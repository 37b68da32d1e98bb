import { expect, test } from 'vitest'
import { EnvironmentReader } from '../environment.ts'
import { parseDuration, readRetention } from './duration.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR

test.each([
  ['1s', 1_000],
  ['90m', 90 * 60_000],
  ['36h', 36 * HOUR],
  ['7d', 7 * DAY],
  ['3650d', 3650 * DAY],
])('%s is read', (text, ms) => {
  expect(parseDuration(text)).toBe(ms)
})

test.each([
  '',
  '7',
  'd',
  '0d',
  '-7d',
  '+7d',
  '1.5h',
  '7 d',
  '7D',
  '7days',
  '1w',
  '1e3h',
  '3651d',
  '999999999d',
  '٧d',
])('"%s" is refused with what is allowed', text => {
  expect(() => parseDuration(text)).toThrow(/36h, 7d or 90d, from 1s to 3650d/)
})

function read(env: Record<string, string>) {
  const reader = new EnvironmentReader(env)
  const retention = readRetention(reader)
  reader.check()
  return retention
}

test('runs are kept seven days, or as long as WORKLY_RETENTION says, or WORKLY_RUN_RETENTION before that', () => {
  expect(read({})).toEqual({ runsMs: 7 * DAY, auditMs: 400 * DAY })
  expect(read({ WORKLY_RETENTION: '90d' })).toMatchObject({ runsMs: 90 * DAY })
  expect(read({ WORKLY_RETENTION: '90d', WORKLY_RUN_RETENTION: '36h' })).toMatchObject({ runsMs: 36 * HOUR })
  expect(read({ WORKLY_RETENTION: '90d', WORKLY_AUDIT_RETENTION: '30d' })).toMatchObject({
    auditMs: 30 * DAY,
  })
})

test('a bad value is told by the name of its variable, each of them', () => {
  expect(() => read({ WORKLY_RETENTION: 'forever', WORKLY_RUN_RETENTION: '0d' })).toThrow(
    /WORKLY_RETENTION: "forever" is no duration.*\nWORKLY_RUN_RETENTION: "0d" is no duration/,
  )
})
