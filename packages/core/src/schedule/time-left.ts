import type { FieldIssue } from '../errors.ts'
import { LATEST_MS } from './instant.ts'
import type { Schedule } from './schedule.ts'
import { nextTime } from './schedule-times.ts'
import { shownText } from './shown-text.ts'

/**
 * Which field leaves a schedule without a time after `nowMs` (milliseconds since epoch): `at`, `to`, or a year of the
 * expression that is past; null when a time is left. A create or a change of the schedule is refused on that field
 * (spec section 2).
 */
export function noTimeLeft(schedule: Schedule, nowMs: number): FieldIssue | null {
  if (nextTime(schedule, nowMs) !== null) return null
  const { at, to, from } = schedule.fields
  if (schedule.kind === 'at') return { field: 'at', message: `${at} is past: give an instant in the future.` }
  if (to !== null && nextTime({ ...schedule, toMs: LATEST_MS }, nowMs) !== null) {
    return {
      field: 'to',
      message: `${to} leaves no time: the first one from ${from ?? 'now'} on comes later.`,
    }
  }
  if (schedule.kind === 'interval') return { field: 'from', message: 'leaves no time before the year 10000.' }
  return {
    field: 'cron',
    message: `year: no time is left in the years of ${shownText(schedule.fields.cron ?? '')}.`,
  }
}
