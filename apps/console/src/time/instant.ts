const formats = new Map<string, Intl.DateTimeFormat>()

/** Only digits are taken from Intl, so that the server and every browser write the same text. */
function formatFor(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone)
  if (known) return known
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    calendar: 'iso8601',
    numberingSystem: 'latn',
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  })
  formats.set(zone, format)
  return format
}

/** Whether this runtime knows an IANA time zone. */
export function isKnownZone(zone: string): boolean {
  try {
    formatFor(zone)
    return true
  } catch {
    return false
  }
}

interface WallClock {
  year: number
  month: number
  day: number
  hour: number
  minute: number
  second: number
}

function wallClock(at: number, zone: string): WallClock {
  const clock: WallClock = { year: 0, month: 0, day: 0, hour: 0, minute: 0, second: 0 }
  for (const { type, value } of formatFor(zone).formatToParts(at)) {
    if (type in clock) clock[type as keyof WallClock] = Number(value)
  }
  return clock
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']
const DAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat']

function two(n: number): string {
  return String(n).padStart(2, '0')
}

function asUtc(clock: WallClock): number {
  return Date.UTC(clock.year, clock.month - 1, clock.day, clock.hour, clock.minute, clock.second)
}

/** The offset from UTC that a zone has at an instant: `UTC+1`, `UTC−3:30`, `UTC`. */
export function formatOffset(at: number, zone: string): string {
  const whole = Math.floor(at / 1000) * 1000
  const minutes = Math.round((asUtc(wallClock(whole, zone)) - whole) / 60_000)
  if (minutes === 0) return 'UTC'
  const size = Math.abs(minutes)
  const rest = size % 60
  return `UTC${minutes > 0 ? '+' : '−'}${Math.floor(size / 60)}${rest ? `:${two(rest)}` : ''}`
}

/** `Tue 1 Dec 2026, 03:00:00` on the clocks of a zone. */
export function formatInstant(at: number, zone: string): string {
  const clock = wallClock(at, zone)
  const day = DAYS[new Date(asUtc(clock)).getUTCDay()]
  const date = `${day} ${clock.day} ${MONTHS[clock.month - 1]} ${clock.year}`
  return `${date}, ${two(clock.hour)}:${two(clock.minute)}:${two(clock.second)}`
}

/** The same with its offset, where no column says the zone: `Tue 1 Dec 2026, 03:00:00 UTC+1`. */
export function formatInstantWithOffset(at: number, zone: string): string {
  return `${formatInstant(at, zone)} ${formatOffset(at, zone)}`
}

/** Short, for tables: `1 Dec 03:00:00`, with the year only where it is not this one. */
export function formatShort(at: number, zone: string, now: number): string {
  const clock = wallClock(at, zone)
  const year = clock.year === wallClock(now, zone).year ? '' : ` ${clock.year}`
  return `${clock.day} ${MONTHS[clock.month - 1]}${year} ${two(clock.hour)}:${two(clock.minute)}:${two(clock.second)}`
}
