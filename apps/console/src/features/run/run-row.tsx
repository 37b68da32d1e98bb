'use client'

import type { RunListItem } from '@workly/core'
import Link from 'next/link'
import { jobPath, runPath } from '#features/project/addresses.ts'
import { useProjectInput } from '#features/project/project-scope.tsx'
import { formatDuration, formatElapsed } from '#time/duration.ts'
import { useNow } from '#ui/clock.tsx'
import { RelativeMoment, ShortMoment } from '#ui/moment.tsx'
import { Cell } from '#ui/table.tsx'
import { runLength } from './run-facts.ts'
import { RunStateMark } from './run-state.tsx'
import { TRIGGER_WORDS } from './words.ts'

export function RunRowView({ run, withJob }: { run: RunListItem; withJob: boolean }) {
  const place = useProjectInput()
  return (
    <tr className="h-11 hover:bg-canvas">
      <Cell>
        <RunStateMark state={run.state} />
      </Cell>
      {withJob && (
        <Cell className="max-w-56 max-sm:hidden">
          <Link
            href={jobPath(place, run.job)}
            prefetch={false}
            className="block truncate font-medium underline-offset-4 hover:underline"
          >
            {run.job}
          </Link>
        </Cell>
      )}
      <Cell className={withJob ? 'max-sm:w-full max-sm:max-w-0' : ''}>
        {withJob && <span className="block truncate sm:hidden">{run.job}</span>}
        <Link
          href={runPath(place, run.id)}
          prefetch={false}
          className="inline-block py-0.5 font-medium text-accent underline-offset-4 hover:underline"
        >
          <span className="sr-only">Run for </span>
          <ShortMoment at={run.scheduled_for} />
        </Link>
      </Cell>
      <Cell className="whitespace-nowrap text-muted max-md:hidden">{TRIGGER_WORDS[run.trigger]}</Cell>
      <Cell className="tnum text-right text-muted max-md:hidden">{run.attempts_made}</Cell>
      <Cell className="tnum text-right whitespace-nowrap">
        <Length run={run} />
      </Cell>
      <Cell className="max-w-0 max-lg:hidden">
        <Outcome run={run} />
      </Cell>
    </tr>
  )
}

/** Counts on only while the run goes, so that a still list stays still. */
function Length({ run }: { run: RunListItem }) {
  if (run.state === 'running' && run.started_at !== null) return <LengthSoFar run={run} />
  const length = runLength(run, 0)
  return length === null ? <span className="text-muted">–</span> : formatDuration(length)
}

function LengthSoFar({ run }: { run: RunListItem }) {
  const length = runLength(run, useNow()) ?? 0
  return <span className="text-busy">{formatElapsed(length)}</span>
}

function Outcome({ run }: { run: RunListItem }) {
  if (run.state === 'running' && run.next_attempt_at !== null) {
    return (
      <span className="block truncate text-muted">
        next attempt <RelativeMoment at={run.next_attempt_at} />
      </span>
    )
  }
  if (run.state === 'skipped') {
    return (
      <span className="block truncate text-muted">
        {run.skip_reason === 'overlap' ? 'an earlier run was still going' : 'no worker took it in time'}
      </span>
    )
  }
  if (run.error === null) return null
  return (
    <span className="block truncate text-muted" title={run.error.message}>
      {run.error.message || run.error.class}
    </span>
  )
}
