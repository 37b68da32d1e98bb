import type { EnvironmentReader } from '../environment.ts'

const UNIT_MS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const
const LONGEST_MS = 3_650 * UNIT_MS.d

/**
 * Reads a duration such as `36h`, `7d` or `90d`: a whole number of seconds, minutes, hours or days.
 * @returns milliseconds
 * @throws Error saying what is allowed
 */
export function parseDuration(text: string): number {
  const [, digits = '', unit = ''] = /^(\d{1,9})([smhd])$/.exec(text) ?? []
  const ms = Number(digits) * (UNIT_MS[unit as keyof typeof UNIT_MS] ?? Number.NaN)
  if (ms >= UNIT_MS.s && ms <= LONGEST_MS) return ms
  throw new Error(
    `"${text}" is no duration; a whole number with s, m, h or d, such as 36h, 7d or 90d, from 1s to 3650d is allowed.`,
  )
}

/** How long things are kept. */
export interface Retention {
  /** Milliseconds that a run is kept from its end on. */
  runsMs: number
  /** Milliseconds that an entry of the audit log is kept. */
  auditMs: number
}

/**
 * `WORKLY_RUN_RETENTION`, else `WORKLY_RETENTION`, else seven days (spec section 5, "Retention"); of the audit log
 * `WORKLY_AUDIT_RETENTION`, else 400 days: what happened a year ago can be looked up.
 */
export function readRetention(read: EnvironmentReader): Retention {
  const duration = (name: string, otherwise: number) => {
    const text = read.text(name)
    return text === undefined ? otherwise : read.parsed(name, text, parseDuration, otherwise)
  }
  return {
    runsMs: duration('WORKLY_RUN_RETENTION', duration('WORKLY_RETENTION', 7 * UNIT_MS.d)),
    auditMs: duration('WORKLY_AUDIT_RETENTION', 400 * UNIT_MS.d),
  }
}
