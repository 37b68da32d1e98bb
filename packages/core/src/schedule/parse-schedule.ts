import type { FieldIssue } from '../errors.ts'
import { cachedCron } from './cron-cache.ts'
import { type CronExpression, LONGEST_EXPRESSION } from './cron-expression.ts'
import type { Dialect } from './cron-field.ts'
import { cronProblems } from './cron-problems.ts'
import { suggestionText } from './equivalent.ts'
import { foreignEquivalent } from './foreign-form.ts'
import { EARLIEST_MS, formatInstant, INSTANT_FORM, LATEST_MS, parseInstant } from './instant.ts'
import type { AtSchedule, CronSchedule, IntervalSchedule, Schedule, ScheduleFields } from './schedule.ts'
import { ScheduleError, type ScheduleSuggestion } from './schedule-error.ts'
import { findZone, type TimeZone } from './time-zone.ts'

/** Ten years, in minutes. */
export const LONGEST_INTERVAL_MINUTES = 5_256_000
export const DEFAULT_TIMEZONE = 'UTC'
export const DEFAULT_DIALECT: Dialect = 'standard'

const FORMS = ['cron', 'interval_minutes', 'at'] as const

/** Collects what is wrong, so that every offending field is named at once. */
class Findings {
  readonly issues: FieldIssue[] = []
  suggestion: ScheduleSuggestion | null = null

  add(field: string, message: string): null {
    this.issues.push({ field, message })
    return null
  }

  suggest(settings: ScheduleSuggestion): void {
    if (Object.keys(settings).length > 0) this.suggestion = { ...this.suggestion, ...settings }
  }
}

/**
 * Reads the schedule of a job (spec section 2). Null and absent are the same: not given.
 * @param anchor when the job was created, in milliseconds since epoch: an interval without `from` counts from it
 * @throws ScheduleError naming every offending field, with an equivalent where a foreign form has one
 */
export function parseSchedule(fields: ScheduleFields, anchor: { createdAtMs: number }): Schedule {
  if (!Number.isFinite(anchor.createdAtMs)) throw new RangeError('createdAtMs must be a finite number')
  const found = new Findings()
  const given = FORMS.filter(form => fields[form] !== undefined && fields[form] !== null)
  if (given.length === 0) found.add('cron', 'is missing: give exactly one of cron, interval_minutes and at.')
  if (given.length > 1)
    for (const form of given) found.add(form, 'only one of cron, interval_minutes and at may be given.')
  const dialect = readDialect(fields.dialect, found)
  const zone = readZone(fields.timezone, found)
  const expression = readExpression(fields.cron, dialect ?? DEFAULT_DIALECT, found)
  const minutes = readInterval(fields.interval_minutes, found)
  const atMs = readInstant('at', fields.at, found)
  const window = readWindow(fields, found)
  if (found.issues.length > 0 || dialect === null || zone === null)
    throw new ScheduleError(found.issues, found.suggestion)
  const settings = { dialect, timezone: zone.name, ...window.fields }
  if (expression !== null) return cronSchedule(expression, zone, settings, window)
  if (minutes !== null) return intervalSchedule(minutes, settings, window, anchor.createdAtMs)
  if (atMs !== null) return atSchedule(atMs, settings)
  throw new ScheduleError(found.issues, found.suggestion)
}

interface Settings {
  dialect: Dialect
  timezone: string
  from: string | null
  to: string | null
}

interface Window {
  fromMs: number | null
  toMs: number | null
  fields: { from: string | null; to: string | null }
}

function cronSchedule(
  expression: CronExpression,
  zone: TimeZone,
  settings: Settings,
  window: Window,
): CronSchedule {
  const fields = Object.freeze({ cron: expression.text, interval_minutes: null, at: null, ...settings })
  const [fromMs, toMs] = [window.fromMs ?? EARLIEST_MS, window.toMs ?? LATEST_MS]
  return Object.freeze({ kind: 'cron', fields, expression, zone: zone.offsets, fromMs, toMs })
}

/** The anchor is `from`, itself the first time; else the creation cut to the second, one interval before the first. */
function intervalSchedule(
  minutes: number,
  settings: Settings,
  window: Window,
  createdAtMs: number,
): IntervalSchedule {
  const fields = Object.freeze({ cron: null, interval_minutes: minutes, at: null, ...settings })
  const everyMs = minutes * 60_000
  const firstMs = window.fromMs ?? Math.floor(createdAtMs / 1000) * 1000 + everyMs
  return Object.freeze({ kind: 'interval', fields, everyMs, firstMs, toMs: window.toMs ?? LATEST_MS })
}

function atSchedule(atMs: number, settings: Settings): AtSchedule {
  const fields = Object.freeze({ cron: null, interval_minutes: null, at: formatInstant(atMs), ...settings })
  return Object.freeze({ kind: 'at', fields, atMs })
}

function readDialect(value: unknown, found: Findings): Dialect | null {
  if (value === undefined || value === null) return DEFAULT_DIALECT
  if (value === 'standard' || value === 'extended') return value
  return found.add('dialect', 'must be "standard" or "extended".')
}

function readZone(value: unknown, found: Findings): TimeZone | null {
  if (value !== undefined && value !== null && typeof value !== 'string') {
    return found.add('timezone', 'must be a string: an IANA time zone name such as Europe/Stockholm.')
  }
  const zone = findZone(value ?? DEFAULT_TIMEZONE)
  if (!('problem' in zone)) return zone
  if (zone.suggestion !== null) found.suggest({ timezone: zone.suggestion })
  return found.add('timezone', zone.problem)
}

function readExpression(value: unknown, dialect: Dialect, found: Findings): CronExpression | null {
  if (value === undefined || value === null) return null
  if (typeof value !== 'string') return found.add('cron', 'must be a string such as "0 3 * * *".')
  const expression = cachedCron(value, dialect)
  if (expression !== null) return expression
  const problems = cronProblems(value, dialect)
  const equivalent = value.length > LONGEST_EXPRESSION ? null : foreignEquivalent(value, dialect)
  if (equivalent !== null) {
    problems.push(`${equivalent.note}${suggestionText(equivalent.suggestion)}`.trim())
    found.suggest(equivalent.suggestion)
  }
  return found.add('cron', problems.join(' '))
}

function readInterval(value: unknown, found: Findings): number | null {
  if (value === undefined || value === null) return null
  const valid =
    typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= LONGEST_INTERVAL_MINUTES
  if (valid) return value
  return found.add(
    'interval_minutes',
    `must be a whole number of minutes from 1 to ${LONGEST_INTERVAL_MINUTES} (ten years).`,
  )
}

function readInstant(field: 'at' | 'from' | 'to', value: unknown, found: Findings): number | null {
  if (value === undefined || value === null) return null
  const ms = typeof value === 'string' ? parseInstant(value) : null
  return ms ?? found.add(field, `must be ${INSTANT_FORM}.`)
}

function readWindow(fields: ScheduleFields, found: Findings): Window {
  const fromMs = readInstant('from', fields.from, found)
  const toMs = readInstant('to', fields.to, found)
  if (fields.at !== undefined && fields.at !== null) {
    for (const field of ['from', 'to'] as const) {
      if (fields[field] !== undefined && fields[field] !== null)
        found.add(field, 'does not go with at, which is one instant.')
    }
  }
  if (fromMs !== null && toMs !== null && toMs < fromMs) found.add('to', 'must not be before from.')
  const text = (ms: number | null) => (ms === null ? null : formatInstant(ms))
  return { fromMs, toMs, fields: { from: text(fromMs), to: text(toMs) } }
}
