import { hasEnded, type RunListItem, type RunStep } from '@workly/core'

type RunTimes = Pick<RunListItem, 'state' | 'started_at' | 'finished_at'>

/** How long a run took, or takes so far, in milliseconds; null for one that never started. */
export function runLength(run: RunTimes, now: number): number | null {
  if (run.started_at === null) return null
  const end = run.finished_at === null ? now : Date.parse(run.finished_at)
  return Math.max(0, end - Date.parse(run.started_at))
}

/** What may be done with a run in its state (spec section 5: "Retry a run", "Cancel"). */
export function legalActions(state: RunListItem['state']): { retry: boolean; cancel: boolean } {
  return { retry: hasEnded(state), cancel: !hasEnded(state) }
}

/** The step that a pipeline's run can be retried from: the first that failed or was cancelled. */
export function failedStep<T extends Pick<RunStep, 'state'>>(steps: readonly T[]): T | undefined {
  return steps.find(({ state }) => state === 'failed' || state === 'cancelled')
}
