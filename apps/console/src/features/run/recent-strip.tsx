import type { RunState } from '@workly/core'
import { countWords, STATE_WORDS } from './words.ts'

export interface RecentRun {
  id: string
  state: RunState
  scheduled_for: string
}

const WIDTH = 4
const GAP = 2
const HEIGHT = 20

/** Height and outline tell the states apart where colour does not. */
const BARS: Record<RunState, { height: number; paint: string }> = {
  succeeded: { height: 14, paint: 'fill-good' },
  failed: { height: 20, paint: 'fill-bad' },
  running: { height: 14, paint: 'fill-busy pulse-bar' },
  pending: { height: 8, paint: 'fill-busy' },
  cancelled: { height: 8, paint: 'fill-idle' },
  skipped: { height: 5, paint: 'fill-warn' },
}

interface RecentStripProps {
  /** Newest first, as lists give them; drawn with the newest to the right. */
  runs: readonly RecentRun[]
  /** How many bars there is room for: the strip has its size before there are any. */
  slots?: number
}

/** A job's most recent runs as bars, the newest to the right. */
export function RecentStrip({ runs, slots = 20 }: RecentStripProps) {
  const shown = runs.slice(0, slots).toReversed()
  const words =
    shown.length === 0 ? 'No runs yet' : `Last ${shown.length} runs: ${countWords(shown.map(r => r.state))}`
  const width = slots * (WIDTH + GAP) - GAP
  const first = slots - shown.length
  return (
    <svg width={width} height={HEIGHT} viewBox={`0 0 ${width} ${HEIGHT}`} role="img" aria-label={words}>
      {/* The places that are still empty. */}
      <path
        d={`M0 ${HEIGHT - 1}h${first * (WIDTH + GAP)}`}
        strokeWidth="2"
        strokeDasharray={`${WIDTH} ${GAP}`}
        className="stroke-line"
      />
      {shown.map((run, index) => {
        const bar = BARS[run.state]
        return (
          <rect
            key={run.id}
            x={(first + index) * (WIDTH + GAP)}
            y={HEIGHT - bar.height}
            width={WIDTH}
            height={bar.height}
            rx="1"
            className={bar.paint}
          >
            <title>{`${STATE_WORDS[run.state]}, for ${run.scheduled_for}`}</title>
          </rect>
        )
      })}
    </svg>
  )
}
