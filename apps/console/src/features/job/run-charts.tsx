'use client'

import { useQuery } from '@tanstack/react-query'
import type { RunState } from '@workly/core'
import type { ReactNode } from 'react'
import { useProjectInput } from '#features/project/project-scope.tsx'
import { countWords, STATE_WORDS } from '#features/run/words.ts'
import { formatDuration } from '#time/duration.ts'
import { useTRPC } from '#trpc/client.tsx'
import { LIVE_MS } from '#trpc/query-client.ts'
import { Card } from '#ui/card.tsx'
import { CHARTED_RUNS, percentile, type Share, shares, type TimedRun, timedRuns } from './run-stats.ts'

const GROUP = 10
const HEIGHT = 64

const PAINT: Partial<Record<RunState, string>> = { succeeded: 'fill-good', failed: 'fill-bad' }

/** How long the latest runs took and how many of them succeeded; as high before there is one as with all. */
export function RunCharts({ job }: { job: string }) {
  const trpc = useTRPC()
  const { data } = useQuery(
    trpc.run.list.queryOptions(
      { ...useProjectInput(), job, limit: CHARTED_RUNS },
      { refetchInterval: LIVE_MS },
    ),
  )
  const runs = timedRuns(data?.data ?? [])
  return (
    <Card title="Latest runs">
      <div className="grid gap-6 md:grid-cols-2">
        <Durations runs={runs} />
        <Rates groups={shares(runs, GROUP)} />
      </div>
    </Card>
  )
}

function Durations({ runs }: { runs: TimedRun[] }) {
  const all = runs.map(run => run.ms)
  const longest = Math.max(1, ...all)
  const words =
    all.length === 0
      ? 'Drawn here once a run has ended'
      : `median ${formatDuration(percentile(all, 0.5))}, 95 % within ${formatDuration(percentile(all, 0.95))}, longest ${formatDuration(Math.max(...all))}`
  return (
    <figure className="grid content-start gap-2">
      <figcaption>
        <span className="block text-[13px] font-medium">Duration</span>
        <span className="tnum block text-[13px] text-muted">{words}</span>
      </figcaption>
      <Bars
        label={`Duration of ${runs.length} runs, oldest first: ${countWords(runs.map(run => run.state))}`}
        slots={runs.length}
      >
        {runs.map((run, index) => {
          const height = Math.max(2, (run.ms / longest) * HEIGHT)
          return (
            <rect
              key={run.id}
              x={index * 10 + 1}
              y={HEIGHT - height}
              width="8"
              height={height}
              className={PAINT[run.state] ?? 'fill-idle'}
            >
              <title>{`${formatDuration(run.ms)}, ${STATE_WORDS[run.state].toLowerCase()}, for ${run.scheduledFor}`}</title>
            </rect>
          )
        })}
      </Bars>
    </figure>
  )
}

function Rates({ groups }: { groups: Share[] }) {
  const succeeded = groups.reduce((sum, group) => sum + group.succeeded, 0)
  const failed = groups.reduce((sum, group) => sum + group.failed, 0)
  return (
    <figure className="grid content-start gap-2">
      <figcaption>
        <span className="block text-[13px] font-medium">Success rate</span>
        <span className="tnum block text-[13px] text-muted">
          {succeeded + failed === 0
            ? 'Drawn here once a run has succeeded or failed'
            : `${succeeded} of ${succeeded + failed} succeeded; each bar is ${GROUP} runs`}
        </span>
      </figcaption>
      <Bars
        label={`Succeeded, by ${GROUP} runs each: ${groups.map(({ succeeded: s, failed: f }) => `${s} of ${s + f}`).join(', ')}`}
        slots={Math.max(GROUP, groups.length)}
      >
        {groups.map((group, index) => {
          const bad = (group.failed / (group.succeeded + group.failed)) * HEIGHT
          return (
            <g key={group.from}>
              <title>{`${group.succeeded} of ${group.succeeded + group.failed} succeeded, from ${group.from}`}</title>
              <rect x={index * 10 + 1} y={bad} width="8" height={HEIGHT - bad} className="fill-good" />
              <rect x={index * 10 + 1} width="8" height={bad} className="fill-bad" />
            </g>
          )
        })}
      </Bars>
    </figure>
  )
}

interface BarsProps {
  label: string
  /** How many bars there is room for; a single one is not to fill it all. */
  slots: number
  children: ReactNode
}

function Bars({ label, slots, children }: BarsProps) {
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${Math.max(10, slots) * 10} ${HEIGHT}`}
      preserveAspectRatio="none"
      className="block h-16 w-full border-b border-line"
    >
      {children}
    </svg>
  )
}
