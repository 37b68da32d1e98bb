/** RFC 3339 date-time; the `Z` and the `T` in either case (section 5.6). */
const RFC_3339 =
  /^([0-9]{4})-([0-9]{2})-([0-9]{2})T([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\.([0-9]{1,9}))?(?:Z|([+-])([0-9]{2}):([0-9]{2}))$/i

/** 1970-01-01T00:00:00Z, the earliest instant of any schedule. */
export const EARLIEST_MS = 0
/** 9999-12-31T23:59:59.999Z, the last instant that RFC 3339 can write. */
export const LATEST_MS = 253_402_300_799_999

/** What `parseInstant` takes, for messages. */
export const INSTANT_FORM =
  'an RFC 3339 instant with an offset, to the millisecond at most, from 1970 to 9999, such as 2026-12-01T02:00:00Z or 2026-12-01T03:00:00+01:00'

/**
 * Reads an RFC 3339 instant: an offset is required, dates must exist, leap seconds and anything finer than a
 * millisecond are refused rather than rounded.
 * @returns milliseconds since epoch, or null when it is not one or lies outside 1970 to 9999
 */
export function parseInstant(text: string): number | null {
  const parts = RFC_3339.exec(text)
  if (!parts) return null
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = parts.slice(1, 7).map(Number)
  const fraction = (parts[7] ?? '').padEnd(9, '0')
  const [offsetHour, offsetMinute] = [Number(parts[9] ?? 0), Number(parts[10] ?? 0)]
  if (hour > 23 || minute > 59 || second > 59 || offsetHour > 23 || offsetMinute > 59) return null
  if (Number(fraction.slice(3)) !== 0) return null
  const local = new Date(Date.UTC(year, month - 1, day, hour, minute, second, Number(fraction.slice(0, 3))))
  // Date.UTC rolls 31 June over to 1 July, and reads years below 100 as 19xx.
  if (local.getUTCFullYear() !== year || local.getUTCMonth() !== month - 1 || local.getUTCDate() !== day)
    return null
  const offsetMs = (offsetHour * 60 + offsetMinute) * 60_000
  const ms = parts[8] === '-' ? local.getTime() + offsetMs : local.getTime() - offsetMs
  return ms < EARLIEST_MS || ms > LATEST_MS ? null : ms
}

/** An instant as Workly writes it: `YYYY-MM-DDTHH:MM:SS[.mmm]Z` (spec section 6). */
export function formatInstant(ms: number): string {
  return new Date(ms).toISOString().replace('.000Z', 'Z')
}
