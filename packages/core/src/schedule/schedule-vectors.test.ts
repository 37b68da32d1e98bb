import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { readVectors, sharedVectors } from '../../test/vector-file.ts'
import type { Dialect } from './cron-field.ts'
import { formatInstant } from './instant.ts'
import { parseSchedule } from './parse-schedule.ts'
import type { ScheduleFields } from './schedule.ts'
import { ScheduleError } from './schedule-error.ts'
import { lastTimeAtOrBefore, nextTimes } from './schedule-times.ts'

interface CronCase {
  id: string
  why: string
  dialect: Dialect
  expr: string
  tz: string
  after: string
  next?: string[]
  error?: true
}

interface WindowCase {
  id: string
  why: string
  expr?: string
  every?: number
  tz?: string
  from?: string
  to?: string
  after?: string
  next?: string[]
  error?: true
}

const vectorFile = (name: string) => new URL(`../../test/vectors/${name}`, import.meta.url)
const cronCases = readVectors<CronCase>(vectorFile('cron.jsonl'))
const windowCases = readVectors<WindowCase>(vectorFile('cron-window.jsonl'))
const anchor = { createdAtMs: Date.parse('2025-06-01T00:00:00Z') }
/** Where the vectors list fewer than five times, none more comes before this year; they were made to look no further. */
const VECTORS_END_MS = Date.parse('2105-01-01T00:00:00Z')

function expectTimes(fields: ScheduleFields, after: string | undefined, expected: string[]) {
  const schedule = parseSchedule(fields, anchor)
  const afterMs = after === undefined ? Number.NEGATIVE_INFINITY : Date.parse(after)
  const times = nextTimes(schedule, afterMs, 5).filter(ms => ms < VECTORS_END_MS)
  expect(times.map(formatInstant)).toEqual(expected)
  for (const time of times) {
    expect(lastTimeAtOrBefore(schedule, time)).toBe(time)
    const before = lastTimeAtOrBefore(schedule, time - 1) ?? Number.NEGATIVE_INFINITY
    expect(before <= Math.max(afterMs, times[times.indexOf(time) - 1] ?? afterMs)).toBe(true)
  }
}

describe.each(['cron.jsonl', 'cron-window.jsonl'])('the vectors of %s', name => {
  it('are the shared ones, where those are at hand', () => {
    const own = readFileSync(vectorFile(name), 'utf8')
    expect(own).toBe(sharedVectors(name) ?? own)
    expect(own.split('\n').length).toBeGreaterThan(20)
  })
})

describe('cron vectors', () => {
  it.each(cronCases)('$id: $why', ({ expr, dialect, tz, after, next, error }) => {
    const fields = { cron: expr, dialect, timezone: tz }
    if (next !== undefined) return expectTimes(fields, after, next)
    expect(error).toBe(true)
    expect(() => parseSchedule(fields, anchor)).toThrow(ScheduleError)
  })
})

describe('window vectors', () => {
  it.each(windowCases)('$id: $why', ({ expr, every, tz, from, to, after, next, error }) => {
    const fields = { cron: expr, interval_minutes: every, timezone: tz, from, to }
    if (next !== undefined) return expectTimes(fields, after, next)
    expect(error).toBe(true)
    expect(() => parseSchedule(fields, anchor)).toThrow(ScheduleError)
  })
})
