import type { Schedule } from './schedule.ts'
import { firstInstant, latestWallTime } from './wall-time.ts'

/**
 * The first time of a schedule strictly after an instant, or null when none is left.
 * @param afterMs milliseconds since epoch
 */
export function nextTime(schedule: Schedule, afterMs: number): number | null {
  if (Number.isNaN(afterMs)) throw new RangeError('afterMs must be a number')
  if (schedule.kind === 'at') return schedule.atMs > afterMs ? schedule.atMs : null
  if (afterMs >= schedule.toMs) return null
  const next =
    schedule.kind === 'interval'
      ? nextInterval(schedule.firstMs, schedule.everyMs, afterMs)
      : nextCron(schedule, Math.max(Math.floor(afterMs), schedule.fromMs - 1))
  return next === null || next > schedule.toMs ? null : next
}

/** The clocks pass a wall time after `afterMs` just when they have not shown it, or a later one, by then. */
function nextCron(schedule: Schedule & { kind: 'cron' }, afterMs: number): number | null {
  const wall = schedule.expression.times.atOrAfter(latestWallTime(schedule.zone, afterMs) + 1)
  return wall === null ? null : firstInstant(schedule.zone, wall)
}

function nextInterval(firstMs: number, everyMs: number, afterMs: number): number {
  return afterMs < firstMs ? firstMs : firstMs + (Math.floor((afterMs - firstMs) / everyMs) + 1) * everyMs
}

/** The last time of a schedule at or before an instant (milliseconds since epoch), or null when there was none. */
export function lastTimeAtOrBefore(schedule: Schedule, atMs: number): number | null {
  if (Number.isNaN(atMs)) throw new RangeError('atMs must be a number')
  if (schedule.kind === 'at') return schedule.atMs <= atMs ? schedule.atMs : null
  const latest = Math.floor(Math.min(atMs, schedule.toMs))
  if (schedule.kind === 'interval') {
    const { firstMs, everyMs } = schedule
    return latest < firstMs ? null : firstMs + Math.floor((latest - firstMs) / everyMs) * everyMs
  }
  if (latest < schedule.fromMs) return null
  const wall = schedule.expression.times.atOrBefore(latestWallTime(schedule.zone, latest))
  const last = wall === null ? null : firstInstant(schedule.zone, wall)
  return last === null || last < schedule.fromMs ? null : last
}

/** The first `count` times strictly after an instant, ascending; fewer when fewer are left. */
export function nextTimes(schedule: Schedule, afterMs: number, count: number): number[] {
  const times: number[] = []
  let next = count > 0 ? nextTime(schedule, afterMs) : null
  while (next !== null) {
    times.push(next)
    next = times.length < count ? nextTime(schedule, next) : null
  }
  return times
}

/** The times from `fromMs` to `toMs`, both inclusive, ascending; only the first `limit` of them. */
export function timesBetween(schedule: Schedule, fromMs: number, toMs: number, limit: number): number[] {
  const times: number[] = []
  let next = limit > 0 ? nextTime(schedule, Math.ceil(fromMs) - 1) : null
  while (next !== null && next <= toMs) {
    times.push(next)
    next = times.length < limit ? nextTime(schedule, next) : null
  }
  return times
}

/** Whether a schedule has a time at exactly this instant. */
export function hasTimeAt(schedule: Schedule, ms: number): boolean {
  return nextTime(schedule, ms - 1) === ms
}
