import { LONGEST_EXPRESSION, MACROS, readCron, splitFields } from './cron-expression.ts'
import type { Dialect } from './cron-field.ts'
import { elapsedForm } from './elapsed-form.ts'
import type { Equivalent } from './equivalent.ts'
import { translateFields } from './foreign-fields.ts'
import type { ScheduleSuggestion } from './schedule-error.ts'
import { findZone } from './time-zone.ts'

/** Macros of other schedulers (node-cron, fcron, systemd, FreeBSD); those of crontab(5) in another case are found too. */
const FOREIGN_MACROS: ReadonlyMap<string, string> = new Map([
  ['@every_minute', '* * * * *'],
  ['@minutely', '* * * * *'],
  ['@weekdays', '0 0 * * 1-5'],
  ['@weekends', '0 0 * * 0,6'],
  ['@quarterly', '0 0 1 1,4,7,10 *'],
  ['@semiannually', '0 0 1 1,7 *'],
])

/** The equivalent of a refused expression, or null where there is none to be sure of. */
export function foreignEquivalent(text: string, dialect: Dialect): Equivalent | null {
  const plain = plainText(text)
  // NFKC may make a text eighteen times as long.
  if (plain.length > LONGEST_EXPRESSION) return null
  const found =
    macro(plain) ??
    elapsedForm(plain) ??
    bracketed(plain, dialect) ??
    zoned(plain, dialect) ??
    fields(plain, dialect)
  return found?.suggestion.cron === text && found.suggestion.dialect === undefined ? null : found
}

/** Pasted text: typographic dashes and stars, wide characters, line breaks, quotes around it. */
function plainText(text: string): string {
  return text
    .normalize('NFKC')
    .replace(/[\u2010-\u2015\u2212]/g, '-')
    .replace(/[\u2217\u2731\u204e]/g, '*')
    .replace(/\s+/g, ' ')
    .replace(/^[ "'`]+|[ "'`;]+$/g, '')
}

function macro(text: string): Equivalent | null {
  if (!text.startsWith('@')) return null
  const name = text.split(' ')[0] ?? ''
  const lower = name.toLowerCase()
  if (lower === '@reboot')
    return { suggestion: {}, note: '@reboot has no clock time: it runs when a machine starts. ' }
  const cron = MACROS.has(lower) ? lower : FOREIGN_MACROS.get(lower)
  if (cron === undefined) return null
  const command = text === name ? '' : 'Only the schedule belongs here, not the command. '
  return { suggestion: { cron }, note: command }
}

/** AWS's `cron(…)`. */
function bracketed(text: string, dialect: Dialect): Equivalent | null {
  const inside = /^cron ?\((.*)\)$/i.exec(text)?.[1]
  if (inside === undefined) return null
  const found = fields(inside.trim(), dialect)
  return found && { ...found, note: `Leave out cron( ). ${found.note}` }
}

/** `CRON_TZ=` and `TZ=` before an expression (Go, QStash), or a zone after it (Snowflake, node-cron). */
function zoned(text: string, dialect: Dialect): Equivalent | null {
  const leading = /^(?:CRON_)?TZ=(\S+) (.+)$/.exec(text)
  const trailing = /^(.+) ([A-Za-z][\w+-]*(?:\/[\w+-]+)+|UTC|GMT)$/.exec(text)
  const name = leading?.[1] ?? trailing?.[2]
  const rest = leading?.[2] ?? trailing?.[1]
  if (name === undefined || rest === undefined) return null
  const zone = findZone(name)
  const found = fields(rest, dialect)
  if (found === null || 'problem' in zone) return null
  return { suggestion: { ...found.suggestion, timezone: zone.name }, note: 'The zone goes in timezone. ' }
}

/** The fields themselves: right as they are in either dialect, translated, or followed by a crontab's command. */
function fields(text: string, dialect: Dialect): Equivalent | null {
  if (readCron(text, dialect) !== null) return { suggestion: { cron: text }, note: '' }
  const translated = translateFields(text)
  if (translated === null) return beforeCommand(text)
  const other = translated.dialect === 'extended' && dialect === 'standard'
  const suggestion: ScheduleSuggestion = {
    cron: translated.cron,
    ...(other ? { dialect: 'extended' as const } : {}),
  }
  return { suggestion, note: translated.note }
}

function beforeCommand(text: string): Equivalent | null {
  const parts = splitFields(text)
  if (!/^[A-Za-z/.~$][\w/.~$-]{2,}/.test(parts[5] ?? '')) return null
  const cron = parts.slice(0, 5).join(' ')
  const valid = readCron(cron, 'standard') !== null
  return valid ? { suggestion: { cron }, note: 'Only the schedule belongs here, not the command. ' } : null
}
