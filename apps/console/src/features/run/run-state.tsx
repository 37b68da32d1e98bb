import type { RunState } from '@workly/core'
import { Icon, type IconName } from '#ui/icon.tsx'
import { STATE_WORDS } from './words.ts'

/** Each state has a shape of its own besides its colour (WCAG 1.4.1). */
const MARKS: Record<RunState, { icon: IconName; colour: string; moves?: boolean }> = {
  pending: { icon: 'clock', colour: 'text-muted' },
  running: { icon: 'turning', colour: 'text-busy', moves: true },
  succeeded: { icon: 'check', colour: 'text-good' },
  failed: { icon: 'cross', colour: 'text-bad' },
  cancelled: { icon: 'stop', colour: 'text-muted' },
  skipped: { icon: 'skip', colour: 'text-warn' },
}

interface RunStateMarkProps {
  state: RunState
  /** The shape alone; its word is still there for screen readers. */
  compact?: boolean
}

export function RunStateMark({ state, compact = false }: RunStateMarkProps) {
  const { icon, colour, moves } = MARKS[state]
  return (
    <span className={`inline-flex items-center gap-1.5 align-middle whitespace-nowrap ${colour}`}>
      <Icon name={icon} className={`size-4 ${moves ? 'turning' : ''}`} />
      <span className={compact ? 'sr-only' : 'font-medium'}>{STATE_WORDS[state]}</span>
    </span>
  )
}
