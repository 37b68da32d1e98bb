import type { LedgerOutcome, RunState, RunTrigger, SkipReason } from '@workly/core'

/** A run at a scheduled time. */
export interface LedgerRun {
  id: string
  state: RunState
  skipReason: SkipReason | null
  trigger: RunTrigger
  errorMessage: string | null
}

/** What is known of a time that has no run. All in milliseconds since the epoch. */
export interface TimeFacts {
  createdAt: number
  now: number
  /** Null for a job that is paused or completed. */
  nextRunAt: number | null
  prunedThrough: number | null
  /** Pauses: from just after `from` to `to` included; null while it lasts. */
  pauses: readonly { from: number; to: number | null }[]
  /** Whether the schedule that was in force at that time has it. */
  wasScheduled: boolean
}

export interface Judgement {
  outcome: LedgerOutcome
  /** Why, in words for a person. */
  reason: string
}

const ENDED: Record<RunState, string> = {
  pending: 'Its run is waiting to start.',
  running: 'Its run is under way.',
  succeeded: 'It ran and succeeded.',
  failed: 'It ran and failed.',
  cancelled: 'Its run was cancelled.',
  skipped: 'It was skipped.',
}

export function judgeRun(run: LedgerRun): Judgement {
  if (run.state === 'skipped' && run.skipReason === 'missed') {
    return {
      outcome: 'missed',
      reason: 'No worker could start it within a minute, and the job skips missed times.',
    }
  }
  if (run.state === 'skipped') {
    return { outcome: 'skipped', reason: 'Another run of the job was still going (overlap).' }
  }
  const failure = run.state === 'failed' && run.errorMessage ? ` ${run.errorMessage}` : ''
  return { outcome: 'ran', reason: ENDED[run.state] + failure }
}

/** Why a time has no run, the most certain reason first. */
export function judgeWithoutRun(time: number, facts: TimeFacts): Judgement {
  if (time <= facts.createdAt) return { outcome: 'not_created', reason: 'The job did not exist yet.' }
  if (time > facts.now) return { outcome: 'upcoming', reason: 'It lies ahead.' }
  if (facts.pauses.some(p => time > p.from && (p.to === null || time <= p.to))) {
    return { outcome: 'paused', reason: 'The job was paused.' }
  }
  if (!facts.wasScheduled) {
    return { outcome: 'other_schedule', reason: 'The job had another schedule then, without this time.' }
  }
  if (facts.nextRunAt !== null && time >= facts.nextRunAt) {
    return { outcome: 'due', reason: 'It is due and is about to be started.' }
  }
  if (facts.prunedThrough !== null && time <= facts.prunedThrough) {
    return { outcome: 'unknown', reason: 'Its run was removed by retention, or it was missed.' }
  }
  return {
    outcome: 'missed',
    reason: 'No worker ran when it was due, and of times missed together only the latest counts.',
  }
}
