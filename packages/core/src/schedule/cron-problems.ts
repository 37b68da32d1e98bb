import { assemble, fieldRules, LONGEST_EXPRESSION, MACROS, splitFields } from './cron-expression.ts'
import { type CronField, type Dialect, type FieldRule, readField } from './cron-field.ts'
import { fieldProblem, unsupportedSign } from './field-problem.ts'
import { shownText } from './shown-text.ts'

/** What a dialect's fields are, for messages. */
const FIELDS: Record<Dialect, string> = {
  standard: 'the standard dialect takes five: minute, hour, day of month, month, day of week',
  extended:
    'the extended dialect takes five to seven: [second] minute, hour, day of month, month, day of week [year]',
}

/** Says all that is wrong with an expression that `readCron` refuses, field by field. */
export function cronProblems(text: string, dialect: Dialect): string[] {
  if (text.length > LONGEST_EXPRESSION) {
    return [`is ${text.length} characters long; at most ${LONGEST_EXPRESSION} are allowed.`]
  }
  const parts = splitFields(text)
  const first = parts[0]
  if (first === undefined) return [`is empty; ${FIELDS[dialect]}.`]
  if (/[^\x20-\x7e\t]/.test(text)) return [foreignCharacters(text)]
  if (first.startsWith('@'))
    return [`${shownText(text)} is not a known macro; there are ${[...MACROS.keys()].join(' ')}.`]
  const rules = fieldRules(parts, dialect)
  if (rules === null) {
    const fields = parts.length === 1 ? 'one field' : `${parts.length} fields`
    const unsupported = parts.map(unsupportedSign).find(problem => problem !== null)
    return [`has ${fields}; ${FIELDS[dialect]}.`, ...(unsupported ? [`${unsupported}.`] : [])]
  }
  const problems = rules.flatMap((rule, i) => fieldProblem(parts[i] ?? '', rule, dialect) ?? [])
  return problems.length > 0 ? problems : [neverComes(parts, rules, dialect)]
}

function foreignCharacters(text: string): string {
  const character = /[^\x20-\x7e\t]/u.exec(text)?.[0] ?? ''
  const where = /\s/u.test(character)
    ? 'only spaces and tabs separate fields'
    : 'only plain ASCII characters are allowed'
  return `holds the character ${shownText(character)}; ${where}.`
}

/** Each field is right by itself, and yet no date fits them all: 30 February, or 29 February 2027. */
function neverComes(parts: readonly string[], rules: readonly FieldRule[], dialect: Dialect): string {
  const fields = new Map<FieldRule, CronField>()
  for (const [i, rule] of rules.entries()) {
    const field = readField(parts[i] ?? '', rule, dialect)
    if (field !== null) fields.set(rule, field)
  }
  const { dayOfMonth, month, dayOfWeek, year } = assemble('', fields)
  const weekday = dayOfWeek.full ? '' : ` on a day of week ${shownText(dayOfWeek.text)}`
  const years = year === null || year.full ? '' : ` of the year ${shownText(year.text)}`
  return `day of month: ${shownText(dayOfMonth.text)} never comes in month ${shownText(month.text)}${years}${weekday}, so this would never run.`
}
