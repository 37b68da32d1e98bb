import { lastTimeAtOrBefore, nextTime, type Schedule, timesBetween } from '@workly/core'

/** A time due for longer than this when it is claimed was missed (spec section 5). */
export const MISSED_AFTER_MS = 60_000
/** More times than a second-wise schedule has in a minute, both ends counted. */
const MOST_ON_TIME = 100

/** What has become due of a schedule since it was last claimed. */
export interface DueTimes {
  /** The most recent missed time, judged by the 60 s rule; older ones get no run. */
  missed: number | null
  /** Every due time that is on time, in order. */
  onTime: number[]
  /** The first time after now; null when none is left. */
  next: number | null
}

/**
 * Splits the times from `since` to `now`, both included, into missed and on time (spec section 5, "Missed").
 * @param sinceMs the job's `next_run_at`
 * @param nowMs the database's clock
 */
export function dueTimes(schedule: Schedule, sinceMs: number, nowMs: number): DueTimes {
  const onTimeFrom = Math.max(sinceMs, nowMs - MISSED_AFTER_MS)
  const latest = lastTimeAtOrBefore(schedule, nowMs - MISSED_AFTER_MS - 1)
  return {
    missed: latest !== null && latest >= sinceMs ? latest : null,
    onTime: timesBetween(schedule, onTimeFrom, nowMs, MOST_ON_TIME),
    next: nextTime(schedule, nowMs),
  }
}
