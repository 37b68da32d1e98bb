'use client'

import { formatDuration, formatElapsed } from '#time/duration.ts'
import { formatInstant, formatOffset } from '#time/instant.ts'
import type { ShownRun } from '#trpc/router.ts'
import { Card, Fact, Facts } from '#ui/card.tsx'
import { useNow, useViewerZone } from '#ui/clock.tsx'
import { CopyButton } from '#ui/copy-button.tsx'
import { RelativeMoment } from '#ui/moment.tsx'
import { runLength } from './run-facts.ts'
import { RunOutcome } from './run-outcome.tsx'
import { TRIGGER_WORDS } from './words.ts'

/** What became of a run, in words and times. */
export function RunSummary({ run }: { run: ShownRun }) {
  return (
    <Card title="Summary">
      <div className="grid gap-4">
        <RunOutcome run={run} />
        <Facts>
          <Fact name="Scheduled for">
            <Instant at={run.scheduled_for} />
            <RelativeMoment at={run.scheduled_for} className="block text-[13px] text-muted" />
          </Fact>
          <Fact name="Trigger">{TRIGGER_WORDS[run.trigger]}</Fact>
          <Fact name="Created">
            <Instant at={run.created_at} />
          </Fact>
          <Fact name="Started">{run.started_at ? <Instant at={run.started_at} /> : '–'}</Fact>
          <Fact name="Finished">{run.finished_at ? <Instant at={run.finished_at} /> : '–'}</Fact>
          <Fact name="Duration">
            <Duration run={run} />
          </Fact>
          <Fact name="Run id">
            <span className="flex items-center gap-1">
              <code className="min-w-0 font-mono text-xs break-all">{run.id}</code>
              <CopyButton text={run.id} label="Copy run id" />
            </span>
          </Fact>
        </Facts>
      </div>
    </Card>
  )
}

function Instant({ at }: { at: string }) {
  const zone = useViewerZone()
  const ms = Date.parse(at)
  return (
    <time dateTime={at} className="tnum">
      {formatInstant(ms, zone)} <span className="text-muted">{formatOffset(ms, zone)}</span>
    </time>
  )
}

function Duration({ run }: { run: ShownRun }) {
  const now = useNow()
  const length = runLength(run, now)
  if (length === null) return '–'
  const isOpen = run.finished_at === null
  return (
    <span className="tnum">
      {isOpen ? formatElapsed(length) : formatDuration(length)}
      {isOpen && <span className="text-muted"> so far</span>}
    </span>
  )
}
