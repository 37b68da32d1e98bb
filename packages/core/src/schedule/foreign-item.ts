import { DAY_OF_MONTH, DAY_OF_WEEK, type FieldRule, HOUR, readItem, readValue, YEAR } from './cron-field.ts'

const FULL_NAMES = [
  ...['january', 'february', 'march', 'april', 'june', 'july', 'august', 'september', 'october', 'november'],
  ...['december', 'sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'],
]

/** Greatest value that a field counts up to, each once: 6 in the day of week. */
function top(rule: FieldRule): number {
  return rule === DAY_OF_WEEK ? 6 : rule.max
}

/**
 * What one item of a list, written for another scheduler, is called here: `?`, full names, `n/step` (Quartz, Go),
 * ranges that wrap (`22-6`, `fri-mon`), hour 24, Jenkins' `H` and OpenBSD's `a~b`. Null where there is no telling.
 * @param seed chooses the fixed values that stand for `H` and `~`
 */
export function translateItem(item: string, rule: FieldRule, seed: number): string | null {
  if (item === '?') return '*'
  if (readItem(item, rule) !== null) return item
  if (rule === HOUR && item === '24') return '0'
  const [range = '', step, ...more] = (fixedForRandom(item, rule, seed) ?? item).split('/')
  if (more.length > 0 || (step !== undefined && !/^[1-9][0-9]{0,3}$/.test(step))) return null
  const ends = range.split('-').map(shortName)
  const [first = '', last] = ends
  const from = readValue(first, rule)
  if (from === null || ends.length > 2)
    return readItem(join(range, step), rule) === null ? null : join(range, step)
  if (last === undefined) return step === undefined ? first : fromOnwards(first, from, Number(step), rule)
  const to = readValue(last, rule)
  if (to === null) return null
  return to < from ? wrapped({ first, last, from, to, step }, rule) : join(`${first}-${last}`, step)
}

function join(range: string, step: string | undefined): string {
  return step === undefined ? range : `${range}/${step}`
}

function shortName(text: string): string {
  const full = /^[a-z]{4,}$/i.test(text) && FULL_NAMES.some(name => name.startsWith(text.toLowerCase()))
  return full ? text.slice(0, 3) : text
}

/** `n/step`: from n to the field's end. */
function fromOnwards(text: string, from: number, step: number, rule: FieldRule): string {
  if (step > top(rule) - from) return text
  if (from > rule.min) return `${text}-${top(rule)}/${step}`
  return step === 1 ? '*' : `*/${step}`
}

interface Wrap {
  first: string
  last: string
  from: number
  to: number
  step: string | undefined
}

/** A range over the field's end is two: up to the end, and from its beginning. */
function wrapped({ first, last, from, to, step }: Wrap, rule: FieldRule): string | null {
  if (rule === YEAR) return null
  if (step !== undefined) return steppedWrap(from, to, Number(step), rule)
  if (to === from - 1) return '*'
  const named = (value: number, like: string) => {
    const name = /^[0-9]/.test(like) ? undefined : [...rule.names].find(([, v]) => v === value)?.[0]
    return name === undefined ? String(value) : like === like.toUpperCase() ? name.toUpperCase() : name
  }
  const upper = from >= top(rule) ? first : `${first}-${named(top(rule), first)}`
  const lower = to === rule.min ? last : `${named(rule.min, last)}-${last}`
  return `${upper},${lower}`
}

function steppedWrap(from: number, to: number, step: number, rule: FieldRule): string {
  const size = top(rule) - rule.min + 1
  const values: number[] = []
  for (let v = from; v <= to + size; v += step) values.push(((v - rule.min) % size) + rule.min)
  return values.join(',')
}

const JENKINS = /^H(?:\(([0-9]{1,2})-([0-9]{1,2})\))?(?:\/([0-9]{1,2}))?$/
const OPENBSD = /^([0-9]{1,2})~([0-9]{1,2})$/

/** Jenkins' `H`, `H/15`, `H(0-29)/10` and OpenBSD's `0~30` with a fixed value in place of the chosen one. */
function fixedForRandom(item: string, rule: FieldRule, seed: number): string | null {
  const parts = JENKINS.exec(item) ?? OPENBSD.exec(item)
  if (!parts) return null
  const [, first, last, stepText] = parts
  const from = Number(first ?? rule.min)
  // Jenkins takes no day above 28 either, so that each month has it.
  const to = Number(last ?? (rule === DAY_OF_MONTH ? 28 : top(rule)))
  const step = Number(stepText ?? 0)
  const spread = step > 0 ? Math.min(step, to - from + 1) : to - from + 1
  if (spread < 1) return null
  const value = from + (seed % spread)
  if (step === 0) return String(value)
  return value === rule.min && last === undefined ? `*/${step}` : `${value}-${to}/${step}`
}
