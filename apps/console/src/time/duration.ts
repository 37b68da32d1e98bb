const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

function two(n: number): string {
  return String(n).padStart(2, '0')
}

/**
 * A length of time for people: `4 ms`, `1.24 s`, `12.3 s`, `2 min 05 s`, `1 h 03 min`, `2 d 4 h`.
 * @param ms milliseconds; a negative length (clocks that disagree) reads as none
 */
export function formatDuration(ms: number): string {
  const length = Math.max(0, ms)
  if (length < 999.5) return `${length < 10 ? trimZero(length.toFixed(1)) : Math.round(length)} ms`
  if (length < 9_995) return `${(length / SECOND).toFixed(2)} s`
  if (length < 59_950) return `${(length / SECOND).toFixed(1)} s`
  const seconds = Math.round(length / SECOND) * SECOND
  if (seconds < HOUR) return `${Math.floor(seconds / MINUTE)} min ${two((seconds % MINUTE) / SECOND)} s`
  const minutes = Math.round(length / MINUTE) * MINUTE
  if (minutes < DAY) return `${Math.floor(minutes / HOUR)} h ${two((minutes % HOUR) / MINUTE)} min`
  const hours = Math.round(length / HOUR) * HOUR
  return `${Math.floor(hours / DAY)} d ${(hours % DAY) / HOUR} h`
}

/**
 * How long something has gone on so far, in whole seconds, so that it counts like a clock: `0 s`, `42 s`, `2 min 05 s`.
 * @param ms milliseconds; a negative length reads as none
 */
export function formatElapsed(ms: number): string {
  const seconds = Math.floor(Math.max(0, ms) / SECOND)
  return seconds < 60 ? `${seconds} s` : formatDuration(seconds * SECOND)
}

function trimZero(text: string): string {
  return text.endsWith('.0') ? text.slice(0, -2) : text
}

/** A setting in whole seconds for people: `30 s`, `5 min`, `1 h 30 min`, `7 days`. */
export function formatSeconds(seconds: number): string {
  const parts: string[] = []
  const days = Math.floor(seconds / 86_400)
  if (days > 0) parts.push(days === 1 ? '1 day' : `${days} days`)
  const hours = Math.floor((seconds % 86_400) / 3_600)
  if (hours > 0) parts.push(`${hours} h`)
  const minutes = Math.floor((seconds % 3_600) / 60)
  if (minutes > 0) parts.push(`${minutes} min`)
  const rest = seconds % 60
  if (rest > 0 || parts.length === 0) parts.push(`${trimZero(rest.toFixed(1))} s`)
  return parts.join(' ')
}
