/** A night's time in Madrid that comes soon, in the words of the organization scheduler. */
export interface ComingNight {
  cron: { expression: string; timeZone: string }
  /** The instant of it, as `scheduled_for` tells it. */
  at: string
}

/**
 * An expression that says once a day at a time in Madrid, whose next time is some seconds away: what is to happen at
 * night happens before the test's eyes, by the schedule itself.
 * @param inMs how far away at the least, in milliseconds
 */
export function comingNight(inMs: number): ComingNight {
  const at = new Date(Math.ceil((Date.now() + inMs) / 1000) * 1000)
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone: 'Europe/Madrid',
    hourCycle: 'h23',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  })
  const parts = new Map(format.formatToParts(at).map(({ type, value }) => [type, Number(value)]))
  const [second, minute, hour] = [parts.get('second'), parts.get('minute'), parts.get('hour')]
  return {
    cron: { expression: `${second} ${minute} ${hour} * * * *`, timeZone: 'Europe/Madrid' },
    at: at.toISOString(),
  }
}
