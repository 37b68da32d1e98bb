/** `standard`: crontab(5)'s five fields. `extended`: also seconds, a year and `?` (spec section 2). */
export type Dialect = 'standard' | 'extended'

/** What one field of an expression may hold. */
export interface FieldRule {
  readonly name: string
  readonly min: number
  /** Greatest value that may be written; 7 in the day of week, where it is Sunday again. */
  readonly max: number
  /** After how many values the field starts anew, where that is always the same. */
  readonly cycle: number | null
  readonly names: ReadonlyMap<string, number>
  /** Whether `?` may stand here in the extended dialect. */
  readonly takesQuestionMark: boolean
}

function rule(name: string, min: number, max: number, cycle: number | null, names: string[] = []): FieldRule {
  return {
    name,
    min,
    max,
    cycle,
    names: new Map(names.map((n, i) => [n, i + min])),
    takesQuestionMark: name.startsWith('day'),
  }
}

export const MONTH_NAMES = [
  'jan',
  'feb',
  'mar',
  'apr',
  'may',
  'jun',
  'jul',
  'aug',
  'sep',
  'oct',
  'nov',
  'dec',
]
export const DAY_NAMES = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']

export const SECOND = rule('second', 0, 59, 60)
export const MINUTE = rule('minute', 0, 59, 60)
export const HOUR = rule('hour', 0, 23, 24)
export const DAY_OF_MONTH = rule('day of month', 1, 31, null)
export const MONTH = rule('month', 1, 12, 12, MONTH_NAMES)
export const DAY_OF_WEEK = rule('day of week', 0, 7, 7, DAY_NAMES)
export const YEAR = rule('year', 1970, 2099, null)

/** One item of a list: a star, a value or a range, with its step. */
export interface FieldItem {
  readonly from: number
  readonly to: number
  readonly step: number
  readonly star: boolean
}

/** One field of an expression, expanded. */
export interface CronField {
  readonly rule: FieldRule
  readonly text: string
  readonly items: readonly FieldItem[]
  /** The values that match, ascending, each once; Sunday is 0. */
  readonly values: readonly number[]
  /** Whether the text starts with `*` or is `?`: crontab(5) takes such a day field for unrestricted. */
  readonly starred: boolean
  /** Whether every value of the field matches. */
  readonly full: boolean
}

/** Steps above this are surely a slip; below it a step beyond the range is what crontab(5) accepts. */
export const LARGEST_STEP = 9_999

const ITEM = /^(?:(\*)|([0-9]{1,4}|[a-z]{3})(?:-([0-9]{1,4}|[a-z]{3}))?)(?:\/([0-9]{1,4}))?$/i

/** Reads one item of a list, or null where anything about it is not as crontab(5) says. */
export function readItem(text: string, rule: FieldRule): FieldItem | null {
  const parts = ITEM.exec(text)
  if (!parts) return null
  const [, star, first, last, stepText] = parts
  const step = stepText === undefined ? 1 : Number(stepText)
  if (step < 1) return null
  const top = rule === DAY_OF_WEEK ? 6 : rule.max
  if (star !== undefined) return { from: rule.min, to: top, step, star: true }
  if (stepText !== undefined && last === undefined) return null
  const from = readValue(first ?? '', rule)
  const to = last === undefined ? from : readValue(last, rule)
  if (from === null || to === null || to < from) return null
  return { from, to, step, star: false }
}

/** A number within bounds or a three-letter name in any case; null otherwise. */
export function readValue(text: string, rule: FieldRule): number | null {
  const value = /^[0-9]{1,4}$/.test(text) ? Number(text) : rule.names.get(text.toLowerCase())
  return value === undefined || value < rule.min || value > rule.max ? null : value
}

/** Reads one field (crontab(5): `*`, numbers, lists, ranges, steps, names), or null when it is not valid. */
export function readField(text: string, rule: FieldRule, dialect: Dialect): CronField | null {
  const open = text === '?' && dialect === 'extended' && rule.takesQuestionMark
  const items = (open ? '*' : text).split(',').map(item => readItem(item, rule))
  const valid = items.filter(item => item !== null)
  if (valid.length < items.length) return null
  const values = expand(valid, rule)
  const all = rule === DAY_OF_WEEK ? 7 : rule.max - rule.min + 1
  return { rule, text, items: valid, values, starred: /^[*?]/.test(text), full: values.length === all }
}

function expand(items: readonly FieldItem[], rule: FieldRule): number[] {
  const values = new Set<number>()
  for (const { from, to, step } of items) {
    for (let v = from; v <= to; v += step) values.add(rule === DAY_OF_WEEK ? v % 7 : v)
  }
  return [...values].sort((a, b) => a - b)
}
