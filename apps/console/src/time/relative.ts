const MINUTE = 60
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

function amount(seconds: number): string {
  if (seconds < MINUTE) return `${seconds} s`
  if (seconds < HOUR) return `${Math.floor(seconds / MINUTE)} min`
  if (seconds < DAY) {
    const minutes = Math.floor((seconds % HOUR) / MINUTE)
    const hours = Math.floor(seconds / HOUR)
    return hours < 6 && minutes > 0 ? `${hours} h ${minutes} min` : `${hours} h`
  }
  const days = Math.floor(seconds / DAY)
  if (days < 60) return days === 1 ? '1 day' : `${days} days`
  if (days < 730) return `${Math.floor(days / 30.44)} months`
  return `${Math.floor(days / 365.25)} years`
}

/**
 * How far an instant is from now, in words: `in 45 s`, `in 3 h 20 min`, `now`, `12 s ago`, `2 days ago`.
 * Both are milliseconds since the epoch. Only whole units that have passed are counted, as on a clock.
 */
export function formatRelative(at: number, now: number): string {
  const seconds = Math.round((at - now) / 1000)
  if (seconds === 0) return 'now'
  return seconds > 0 ? `in ${amount(seconds)}` : `${amount(-seconds)} ago`
}

/** A countdown to an instant: `0:07`, `12:30`, `1:05:00`; `0:00` once it is past. Milliseconds since the epoch. */
export function formatCountdown(at: number, now: number): string {
  const left = Math.max(0, Math.ceil((at - now) / 1000))
  const seconds = String(left % 60).padStart(2, '0')
  const minutes = Math.floor(left / 60) % 60
  const hours = Math.floor(left / 3600)
  return hours > 0 ? `${hours}:${String(minutes).padStart(2, '0')}:${seconds}` : `${minutes}:${seconds}`
}
