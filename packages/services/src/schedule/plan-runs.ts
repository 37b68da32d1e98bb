import type { RunState, SkipReason } from '@workly/core'
import type { DueTimes } from './due-times.ts'

/** A run that a due time turns into. */
export interface PlannedRun {
  scheduledForMs: number
  state: Extract<RunState, 'pending' | 'skipped'>
  skipReason: SkipReason | null
  waitsForTurn: boolean
}

export interface PlanRules {
  overlap: 'skip' | 'queue' | 'allow'
  missed: 'skip' | 'catch_up'
}

/** Runs of the job that are pending or running when the due times are claimed. */
export interface OpenRuns {
  /** Backfills aside: what counts for `skip`. */
  notBackfill: number
  /** All of them: what counts for `queue`. */
  any: number
}

/**
 * What each due time of one job becomes: missed is applied first, then overlap, in the order of the times (spec
 * section 5). Under `queue`, of the planned runs that would wait only the latest stays.
 */
export function planRuns(due: DueTimes, rules: PlanRules, open: OpenRuns): PlannedRun[] {
  const planned: PlannedRun[] = []
  const skip = (ms: number, reason: SkipReason) =>
    planned.push({ scheduledForMs: ms, state: 'skipped', skipReason: reason, waitsForTurn: false })

  const toRun = [...due.onTime]
  if (due.missed !== null) {
    if (toRun.length === 0 && rules.missed === 'catch_up') toRun.push(due.missed)
    else skip(due.missed, 'missed')
  }
  let { notBackfill, any } = open
  for (const [i, ms] of toRun.entries()) {
    const waits = rules.overlap === 'queue' && any > 0
    const isLast = i === toRun.length - 1
    if ((rules.overlap === 'skip' && notBackfill > 0) || (waits && !isLast)) {
      skip(ms, 'overlap')
      continue
    }
    planned.push({ scheduledForMs: ms, state: 'pending', skipReason: null, waitsForTurn: waits })
    notBackfill++
    any++
  }
  return planned
}
