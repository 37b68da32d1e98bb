import type { RunListItem, RunState } from '@workly/core'

/** How many of a job's latest runs its charts are drawn from. */
export const CHARTED_RUNS = 100

type EndedRun = Pick<RunListItem, 'id' | 'state' | 'started_at' | 'finished_at' | 'scheduled_for'>

/** A run that has ended, with how long it took in milliseconds. */
export interface TimedRun {
  id: string
  state: RunState
  scheduledFor: string
  ms: number
}

/** Runs that were delivered and have ended, oldest first, with their durations. */
export function timedRuns(newestFirst: readonly EndedRun[]): TimedRun[] {
  return newestFirst.toReversed().flatMap(run => {
    const { id, state, scheduled_for: scheduledFor, started_at: start, finished_at: end } = run
    if (start === null || end === null) return []
    return [{ id, state, scheduledFor, ms: Math.max(0, Date.parse(end) - Date.parse(start)) }]
  })
}

/** The value that a share of all lies at or below (nearest rank); 0 of none. @param share from 0 to 1 */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0
}

/** Of some runs one after the other, how many succeeded and how many failed. */
export interface Share {
  succeeded: number
  failed: number
  from: string
}

/** Succeeded and failed runs in groups of one size, the last of which may be smaller; others count for neither. */
export function shares(runs: readonly TimedRun[], size: number): Share[] {
  const counted = runs.filter(({ state }) => state === 'succeeded' || state === 'failed')
  return Array.from({ length: Math.ceil(counted.length / size) }, (_, i) => {
    const group = counted.slice(i * size, (i + 1) * size)
    const succeeded = group.filter(({ state }) => state === 'succeeded').length
    return { succeeded, failed: group.length - succeeded, from: group[0]?.scheduledFor ?? '' }
  })
}
