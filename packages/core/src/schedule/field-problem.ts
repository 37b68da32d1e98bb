import {
  DAY_OF_WEEK,
  type Dialect,
  type FieldRule,
  LARGEST_STEP,
  MONTH,
  readField,
  readItem,
  readValue,
} from './cron-field.ts'
import { shownText } from './shown-text.ts'

/** Says what is wrong with one field and what it may hold; null when nothing is. */
export function fieldProblem(text: string, rule: FieldRule, dialect: Dialect): string | null {
  if (readField(text, rule, dialect) !== null) return null
  const bad = text.split(',').find(item => readItem(item, rule) === null) ?? text
  return `${rule.name}: ${itemProblem(bad, rule, dialect)} (allowed: ${allowed(rule)}).`
}

function allowed(rule: FieldRule): string {
  if (rule === DAY_OF_WEEK) return '0 to 7, where 0 and 7 are Sunday, or sun to sat'
  return rule === MONTH ? '1 to 12 or jan to dec' : `${rule.min} to ${rule.max}`
}

function itemProblem(item: string, rule: FieldRule, dialect: Dialect): string {
  if (item === '') return 'a list has an empty item'
  return foreignSign(item, rule, dialect) ?? stepProblem(item) ?? rangeProblem(item, rule)
}

/** Signs that other schedulers know. */
function foreignSign(item: string, rule: FieldRule, dialect: Dialect): string | null {
  if (item.includes('?')) {
    if (dialect === 'standard') return '? belongs to the extended dialect; write *'
    return rule.takesQuestionMark
      ? '? stands alone, without step or list'
      : '? may only stand in the two day fields'
  }
  if (/^H(?:\(|\/|$)/.test(item)) return 'H (Jenkins) is not supported; choose a fixed value'
  if (item.includes('~')) return 'random values (~) are not supported; choose a fixed value'
  return unsupportedSign(item)
}

/** Quartz's L, W and # and pg_cron's $: what they mean changes from month to month. */
export function unsupportedSign(item: string): string | null {
  if (!/[#$]|^(?:L|W|LW|L-[0-9]+W?|[0-9]+[LW]|[a-z]{3}L)$/i.test(item)) return null
  return `${shownText(item)} is not supported: L, W, # and $ (last day, nearest working day, nth weekday) have no equivalent in one expression`
}

function stepProblem(item: string): string | null {
  const [range = '', step, ...more] = item.split('/')
  if (step === undefined) return null
  if (more.length > 0) return `${shownText(item)} has two steps`
  if (!/^[0-9]{1,4}$/.test(step) || Number(step) < 1) {
    return `the step ${shownText(step)} is not a whole number from 1 to ${LARGEST_STEP}`
  }
  return range === '*' || range.includes('-')
    ? null
    : `a step stands after * or a range, not after ${shownText(range)}`
}

function rangeProblem(item: string, rule: FieldRule): string {
  const range = item.split('/')[0] ?? ''
  const ends = range.split('-')
  if (ends.length > 2 || ends.includes('')) return `${shownText(range)} is not a range such as 1-5`
  const bad = ends.find(end => readValue(end, rule) === null)
  if (bad !== undefined) return valueProblem(bad, rule)
  return `the range ${shownText(range)} runs backwards`
}

function valueProblem(text: string, rule: FieldRule): string {
  if (/^[0-9]+$/.test(text)) return `${shownText(text)} is out of range`
  if (!/^[a-z]+$/i.test(text)) return `${shownText(text)} is not a value`
  if (rule.names.has(text.slice(0, 3).toLowerCase()))
    return `${shownText(text)} is not a name of three letters`
  return `${shownText(text)} is not a value of this field`
}
