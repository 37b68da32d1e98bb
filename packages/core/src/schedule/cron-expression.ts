import {
  type CronField,
  DAY_OF_MONTH,
  DAY_OF_WEEK,
  type Dialect,
  type FieldRule,
  HOUR,
  MINUTE,
  MONTH,
  readField,
  SECOND,
  YEAR,
} from './cron-field.ts'
import { WallClockTimes } from './wall-clock-times.ts'

/** A valid expression, expanded. */
export interface CronExpression {
  /** As it was written, without spaces around it and with one between fields. */
  readonly text: string
  readonly second: CronField
  readonly minute: CronField
  readonly hour: CronField
  readonly dayOfMonth: CronField
  readonly month: CronField
  readonly dayOfWeek: CronField
  /** Null where the expression has no year field. */
  readonly year: CronField | null
  /** Whether the expression has a seconds field; without one it means second 0. */
  readonly secondsGiven: boolean
  /** Both day fields are restricted, so that a day matches if either does (crontab(5)). */
  readonly eitherDay: boolean
  readonly times: WallClockTimes
}

/** crontab(5)'s macros; compared with case, as there. */
export const MACROS: ReadonlyMap<string, string> = new Map([
  ['@hourly', '0 * * * *'],
  ['@daily', '0 0 * * *'],
  ['@midnight', '0 0 * * *'],
  ['@weekly', '0 0 * * 0'],
  ['@monthly', '0 0 1 * *'],
  ['@yearly', '0 0 1 1 *'],
  ['@annually', '0 0 1 1 *'],
])

const FIVE = [MINUTE, HOUR, DAY_OF_MONTH, MONTH, DAY_OF_WEEK]
const SIX_WITH_SECONDS = [SECOND, ...FIVE]
const SIX_WITH_YEAR = [...FIVE, YEAR]
const SEVEN = [SECOND, ...FIVE, YEAR]

/** An expression with every item of every list written out is shorter. */
export const LONGEST_EXPRESSION = 1_000

/** Splits at spaces and tabs, the only characters that separate fields. */
export function splitFields(text: string): string[] {
  return text.split(/[ \t]+/).filter(part => part !== '')
}

/**
 * Which field each part of an expression is, or null where the dialect knows no such number of fields. Six fields lead
 * with seconds, unless the last can only be a year (spec section 2).
 */
export function fieldRules(parts: readonly string[], dialect: Dialect): FieldRule[] | null {
  if (parts.length === 5) return FIVE
  if (dialect === 'standard') return null
  if (parts.length === 7) return SEVEN
  if (parts.length !== 6) return null
  return canOnlyBeYear(parts[5] ?? '') ? SIX_WITH_YEAR : SIX_WITH_SECONDS
}

/** Whether a last field names a value of four digits, which no weekday is. */
export function canOnlyBeYear(text: string): boolean {
  return text.split(',').some(item => /^[1-9][0-9]{3}(?![0-9])/.test(item))
}

/** Reads an expression; null when anything about it is not valid. Why is for `cronProblems` to say. */
export function readCron(text: string, dialect: Dialect): CronExpression | null {
  if (text.length > LONGEST_EXPRESSION) return null
  const parts = splitFields(text)
  const expanded = parts.length === 1 ? splitFields(MACROS.get(parts[0] ?? '') ?? '') : parts
  const rules = fieldRules(expanded, dialect)
  if (rules === null) return null
  const fields = new Map<FieldRule, CronField>()
  for (const [i, rule] of rules.entries()) {
    const field = readField(expanded[i] ?? '', rule, dialect)
    if (field === null) return null
    fields.set(rule, field)
  }
  const expression = assemble(parts.join(' '), fields)
  return expression.times.days.atOrAfter(0) === null ? null : expression
}

/** Puts the fields together, dates that never come included. */
export function assemble(text: string, fields: ReadonlyMap<FieldRule, CronField>): CronExpression {
  const field = (rule: FieldRule, absent: string) => fields.get(rule) ?? presumed(rule, absent)
  const dayOfMonth = field(DAY_OF_MONTH, '*')
  const dayOfWeek = field(DAY_OF_WEEK, '*')
  const second = field(SECOND, '0')
  const minute = field(MINUTE, '*')
  const hour = field(HOUR, '*')
  const month = field(MONTH, '*')
  const year = fields.get(YEAR) ?? null
  const eitherDay = !dayOfMonth.starred && !dayOfWeek.starred
  const times = new WallClockTimes({
    seconds: second.values,
    minutes: minute.values,
    hours: hour.values,
    daysOfMonth: dayOfMonth.values,
    months: month.values,
    daysOfWeek: dayOfWeek.values,
    years: year === null || year.full ? null : year.values,
    eitherDay,
  })
  const secondsGiven = fields.has(SECOND)
  return { text, second, minute, hour, dayOfMonth, month, dayOfWeek, year, secondsGiven, eitherDay, times }
}

function presumed(rule: FieldRule, text: string): CronField {
  const field = readField(text, rule, 'standard')
  if (field === null) throw new RangeError(`${rule.name} does not take ${text}`)
  return field
}
