import type { CronSchedule } from './schedule.ts'
import type { ScheduleWarning } from './schedule-warning.ts'
import { firstInstant } from './wall-time.ts'
import { clockText } from './word-list.ts'

/** How far ahead a change of the clocks is looked for: any that a daily or weekly job meets comes much sooner. */
const HORIZON_MS = 3 * 366 * 86_400_000

/** A change of a zone's clocks, from one wall time to another. */
interface ClockChange {
  atMs: number
  fromWallMs: number
  toWallMs: number
}

/** Names the next date on which a time of the schedule is skipped, and the next on which one comes twice. */
export function dstWarnings(schedule: CronSchedule, nowMs: number): ScheduleWarning[] {
  let skipped: ScheduleWarning | null = null
  let repeated: ScheduleWarning | null = null
  for (const change of changesFrom(schedule, nowMs)) {
    if (change.toWallMs > change.fromWallMs) skipped ??= skippedHour(schedule, change)
    else repeated ??= repeatedHour(schedule, change)
    if (skipped !== null && repeated !== null) break
  }
  return [skipped, repeated].filter(warning => warning !== null)
}

function* changesFrom({ zone, fromMs, toMs }: CronSchedule, nowMs: number): Generator<ClockChange> {
  const startMs = Math.max(Math.floor(nowMs), fromMs - 1)
  const endMs = Math.min(startMs + HORIZON_MS, toMs)
  let span = zone.spanAt(startMs)
  while (span.endMs <= endMs) {
    const next = zone.spanAt(span.endMs)
    if (next.offsetMs !== span.offsetMs) {
      const atMs = span.endMs
      yield { atMs, fromWallMs: atMs + span.offsetMs, toWallMs: atMs + next.offsetMs }
    }
    span = next
  }
}

function skippedHour(schedule: CronSchedule, change: ClockChange): ScheduleWarning | null {
  const { times, hour } = schedule.expression
  const first = times.atOrAfter(change.fromWallMs)
  if (first === null || first >= change.toWallMs) return null
  // Every hour has its runs and one is due just then: they go on in step, nothing to tell.
  if (hour.full && times.atOrAfter(change.toWallMs) === change.toWallMs) return null
  const last = times.atOrBefore(change.toWallMs - 1) ?? first
  const what = last > first ? `the times from ${clock(first)} to ${clock(last)} do` : `${clock(first)} does`
  const run = last > first ? 'they are one run' : 'it runs'
  const message = `On ${date(change.fromWallMs)} the clocks of ${schedule.fields.timezone} go forward from ${clock(change.fromWallMs)} to ${endOfGap(change)}: ${what} not exist then, and ${run} at ${endOfGap(change)}.`
  return { code: 'dst_skipped_hour', field: 'cron', message }
}

function repeatedHour(schedule: CronSchedule, change: ClockChange): ScheduleWarning | null {
  const { times, hour } = schedule.expression
  const first = times.atOrAfter(change.toWallMs)
  if (first === null || first >= change.fromWallMs) return null
  const ms = firstInstant(schedule.zone, first)
  if (ms < schedule.fromMs || ms > schedule.toMs) return null
  const last = times.atOrBefore(change.fromWallMs - 1) ?? first
  const what =
    last > first
      ? `the times from ${clock(first)} to ${clock(last)} come twice, and run`
      : `${clock(first)} comes twice, and runs`
  const pause = hour.full ? ' To run on through the second pass, use interval_minutes.' : ''
  const message = `On ${date(change.fromWallMs - 1)} the clocks of ${schedule.fields.timezone} go back from ${clock(change.fromWallMs)} to ${clock(change.toWallMs)}: ${what} only the first time.${pause}`
  return { code: 'dst_repeated_hour', field: 'cron', message }
}

/** With its date where a zone skips a day, as Pacific/Apia did in 2011. */
function endOfGap({ fromWallMs, toWallMs }: ClockChange): string {
  const sameDay = date(fromWallMs) === date(toWallMs)
  return sameDay ? clock(toWallMs) : `${clock(toWallMs)} on ${date(toWallMs)}`
}

function date(wallMs: number): string {
  return new Date(wallMs).toISOString().slice(0, 10)
}

function clock(wallMs: number): string {
  const wall = new Date(wallMs)
  return clockText(wall.getUTCHours(), wall.getUTCMinutes(), wall.getUTCSeconds())
}
