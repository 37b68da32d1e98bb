import { canOnlyBeYear, readCron, splitFields } from './cron-expression.ts'
import {
  DAY_OF_MONTH,
  DAY_OF_WEEK,
  type Dialect,
  type FieldRule,
  HOUR,
  MINUTE,
  MONTH,
  SECOND,
  YEAR,
} from './cron-field.ts'
import { translateItem } from './foreign-item.ts'

/** An expression that means here what another meant elsewhere. */
export interface TranslatedCron {
  cron: string
  dialect: Dialect
  note: string
}

const FIVE = [MINUTE, HOUR, DAY_OF_MONTH, MONTH, DAY_OF_WEEK]

interface Reading {
  rules: readonly FieldRule[]
  /** Quartz and AWS count weekdays from 1, Sunday. */
  sundayIsOne: boolean
  note: string
}

/** Reads the fields as the scheduler they were written for would, and writes them for this one. Null where it can't. */
export function translateFields(text: string): TranslatedCron | null {
  const parts = repaired(splitFields(text))
  const reading = readingOf(parts)
  if (reading === null) return null
  const fields = new Map<FieldRule, string>()
  for (const [i, rule] of reading.rules.entries()) {
    const part = parts[i] ?? ''
    const counted = rule === DAY_OF_WEEK && reading.sundayIsOne ? fromSundayOne(part) : part
    const seed = seedOf(text, rule)
    const items = counted.split(',').map(item => translateItem(item, rule, seed))
    if (items.includes(null)) return null
    fields.set(rule, items.join(','))
  }
  const shifted = reading.sundayIsOne && /[0-6]/.test(fields.get(DAY_OF_WEEK) ?? '')
  const weekdays = shifted ? 'It counts weekdays from 1, Sunday; here 0 is Sunday. ' : ''
  const random = /(?:^|[ ,])H|~/.test(text)
    ? 'In place of a random value choose a fixed one, for example this. '
    : ''
  return written(fields, `${reading.note}${weekdays}${random}`)
}

/** `/15 * * *` lost its first star; minute and hour stand the wrong way round in `0 30 * * *`. */
function repaired(parts: string[]): string[] {
  const [first = '', second = '', ...rest] = parts
  if (parts.length === 4 && /^\/[0-9]+$/.test(first)) return [`*${first}`, second, ...rest, '*']
  const swapped =
    parts.length === 5 && isNumberUpTo(first, 23) && !isNumberUpTo(second, 24) && isNumberUpTo(second, 59)
  return swapped ? [second, first, ...rest] : parts
}

function isNumberUpTo(text: string, max: number): boolean {
  return /^[0-9]{1,2}$/.test(text) && Number(text) <= max
}

function readingOf(parts: readonly string[]): Reading | null {
  const at = (i: number) => parts[i] === '?'
  if (parts.length === 5) return { rules: FIVE, sundayIsOne: false, note: '' }
  if (parts.length === 6 && (at(2) || at(4))) {
    return {
      rules: [...FIVE, YEAR],
      sundayIsOne: true,
      note: 'AWS has a year last, and ? for an open day field. ',
    }
  }
  if (parts.length === 6 && canOnlyBeYear(parts[5] ?? '')) {
    return { rules: [...FIVE, YEAR], sundayIsOne: false, note: 'A year needs the extended dialect. ' }
  }
  if (parts.length !== 6 && parts.length !== 7) return null
  const rules = parts.length === 6 ? [SECOND, ...FIVE] : [SECOND, ...FIVE, YEAR]
  return { rules, sundayIsOne: at(3), note: 'This leads with a seconds field (Quartz, Spring, Azure). ' }
}

/** Weekday numbers one lower, steps left alone. */
function fromSundayOne(part: string): string {
  return part
    .split(',')
    .map(item => {
      const [range = '', ...step] = item.split('/')
      return [range.replace(/(?<![0-9])[1-7](?![0-9])/g, n => String(Number(n) - 1)), ...step].join('/')
    })
    .join(',')
}

/** Where seconds are 0 and the year is open, five fields say it and either dialect takes them. */
function written(fields: ReadonlyMap<FieldRule, string>, note: string): TranslatedCron | null {
  const second = fields.get(SECOND) ?? '0'
  const year = fields.get(YEAR)
  const five = FIVE.map(rule => fields.get(rule))
  const seconds = /^0+$/.test(second) ? [] : [second]
  const years = year === undefined || (year === '*' && seconds.length === 0) ? [] : [year]
  const cron = [...seconds, ...five, ...years].join(' ')
  const dialect = seconds.length + years.length > 0 ? 'extended' : 'standard'
  return readCron(cron, dialect) === null ? null : { cron, dialect, note }
}

/** A small number that depends on the text and the field only, so that a message is the same each time. */
function seedOf(text: string, rule: FieldRule): number {
  let seed = 7
  for (const character of text + rule.name) seed = (seed * 31 + (character.codePointAt(0) ?? 0)) % 65_521
  return seed
}
