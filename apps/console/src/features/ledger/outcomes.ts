import type { LedgerOutcome, RunState } from '@workly/core'
import type { IconName } from '#ui/icon.tsx'

interface Mark {
  word: string
  icon: IconName
  colour: string
}

const MARKS: Record<Exclude<LedgerOutcome, 'ran'>, Mark> = {
  skipped: { word: 'Skipped', icon: 'skip', colour: 'text-warn' },
  missed: { word: 'Missed', icon: 'warning', colour: 'text-warn' },
  paused: { word: 'Paused', icon: 'pause', colour: 'text-muted' },
  not_created: { word: 'Not created yet', icon: 'plus', colour: 'text-muted' },
  other_schedule: { word: 'Other schedule', icon: 'clock', colour: 'text-muted' },
  unknown: { word: 'Removed', icon: 'trash', colour: 'text-muted' },
  due: { word: 'Due', icon: 'clock', colour: 'text-busy' },
  upcoming: { word: 'Upcoming', icon: 'clock', colour: 'text-muted' },
}

/** How an outcome of the ledger is marked; null for a time that ran, which its run's state marks. */
export function outcomeMark(outcome: LedgerOutcome): Mark | null {
  return outcome === 'ran' ? null : MARKS[outcome]
}

/** Whether nobody has to wonder about a time: it ran and succeeded, goes on, or was not to run. */
export function isInOrder(outcome: LedgerOutcome, state: RunState | null): boolean {
  if (outcome === 'ran') return state !== 'failed' && state !== 'cancelled'
  return outcome !== 'missed' && outcome !== 'skipped'
}
