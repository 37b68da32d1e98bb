/** States of a run (spec section 5). */
export const RUN_STATES = ['pending', 'running', 'succeeded', 'failed', 'cancelled', 'skipped'] as const
export type RunState = (typeof RUN_STATES)[number]

export const RUN_TRIGGERS = ['schedule', 'manual', 'execute_now', 'backfill'] as const
export type RunTrigger = (typeof RUN_TRIGGERS)[number]

export type SkipReason = 'overlap' | 'missed'

/** What last set a run going: it decides how the run counts for overlap and in admission. */
export type SetGoingBy = 'schedule' | 'manual' | 'backfill'

export const ATTEMPT_STATES = ['running', 'waiting', 'succeeded', 'failed', 'cancelled', 'lost'] as const
export type AttemptState = (typeof ATTEMPT_STATES)[number]

/** States of a pipeline's step within a run; `not_run`: the run ended before it came to this step. */
export const STEP_STATES = ['pending', 'running', 'succeeded', 'failed', 'cancelled', 'not_run'] as const
export type StepState = (typeof STEP_STATES)[number]

export function hasEnded(state: RunState): boolean {
  return state !== 'pending' && state !== 'running'
}

/** Admission order: by hand first, then everything else by due time, backfills last (spec section 5, bounds). */
export function admissionRank(by: SetGoingBy): 0 | 1 | 2 {
  if (by === 'manual') return 0
  return by === 'backfill' ? 2 : 1
}

/** What became of a scheduled time, in the ledger (spec section 5). */
export const LEDGER_OUTCOMES = [
  'ran',
  'skipped',
  'missed',
  'paused',
  'not_created',
  'other_schedule',
  'unknown',
  'due',
  'upcoming',
] as const
export type LedgerOutcome = (typeof LEDGER_OUTCOMES)[number]
