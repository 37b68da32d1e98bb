import type { Equivalent } from './equivalent.ts'

const UNIT_SECONDS: ReadonlyMap<string, number> = new Map([
  ['s', 1],
  ['m', 60],
  ['h', 3_600],
  ['d', 86_400],
])

/**
 * Forms that mean elapsed time, which an interval expresses: Go's `@every 1h30m`, AWS's `rate(5 minutes)`, App Engine's
 * `every 5 minutes`, and steps that are no whole number (an hour step of 1.5). Null for anything else.
 */
export function elapsedForm(text: string): Equivalent | null {
  const seconds = everyDuration(text) ?? rate(text) ?? decimalStep(text)
  if (seconds === null || !Number.isFinite(seconds) || seconds <= 0) return null
  if (seconds % 60 === 0) {
    return {
      suggestion: { interval_minutes: seconds / 60 },
      note: 'That is elapsed time, which an interval counts. ',
    }
  }
  if (60 % seconds !== 0) return null
  const cron = seconds === 1 ? '* * * * * *' : `*/${seconds} * * * * *`
  return { suggestion: { cron, dialect: 'extended' }, note: 'Below a minute, use a seconds field. ' }
}

function everyDuration(text: string): number | null {
  const duration = /^@every ((?:[0-9]{1,6}(?:\.[0-9]{1,3})?[smhd])+)$/i.exec(text)?.[1]
  if (duration === undefined) return null
  const parts = [...duration.toLowerCase().matchAll(/([0-9.]+)([smhd])/g)]
  return parts.reduce((sum, [, n, unit]) => sum + Number(n) * (UNIT_SECONDS.get(unit ?? '') ?? Number.NaN), 0)
}

function rate(text: string): number | null {
  const form = /^(?:rate ?\( ?|every )([0-9]{1,6}) ?(second|minute|min|hour|day)s? ?\)?$/i.exec(text)
  return form
    ? Number(form[1]) * (UNIT_SECONDS.get((form[2] ?? '').charAt(0).toLowerCase()) ?? Number.NaN)
    : null
}

/** A star with a step that is no whole number, in the minute field or, after a fixed minute, in the hour field. */
function decimalStep(text: string): number | null {
  const form = /^(?:\*|([0-9]{1,2}) \*)\/([0-9]{1,2}\.[0-9]{1,2})(?: \*)+$/.exec(text)
  if (!form || text.split(' ').length !== 5) return null
  return Number(form[2]) * (form[1] === undefined ? 60 : 3_600)
}
