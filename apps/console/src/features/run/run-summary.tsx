'use client'

import { formatDuration, formatElapsed } from '#time/duration.ts'
import { formatInstant, formatOffset } from '#time/instant.ts'
import { formatCountdown } from '#time/relative.ts'
import type { ShownRun } from '#trpc/router.ts'
import { Card, Fact, Facts } from '#ui/card.tsx'
import { useNow, useViewerZone } from '#ui/clock.tsx'
import { CopyButton } from '#ui/copy-button.tsx'
import { RelativeMoment } from '#ui/moment.tsx'
import { Notice } from '#ui/notice.tsx'
import { runLength } from './run-facts.ts'
import { classWords, skipWords, TRIGGER_WORDS } from './words.ts'

/** What became of a run, in words and times. */
export function RunSummary({ run }: { run: ShownRun }) {
  return (
    <Card title="Summary">
      <div className="grid gap-4">
        <Outcome run={run} />
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

/** Why it stands as it does, and what comes next. */
function Outcome({ run }: { run: ShownRun }) {
  if (run.state === 'skipped') return <Notice tone="warn">{skipWords(run.skip_reason)}</Notice>
  if (run.state === 'cancelled')
    return <Notice tone="info">{run.error?.message ?? 'It was cancelled.'}</Notice>
  if (run.state === 'failed' && run.error) {
    const status = run.attempts.at(-1)?.response?.status ?? null
    return (
      <Notice tone="bad" title={run.error.message}>
        <p>{classWords(run.error.class, status)}</p>
      </Notice>
    )
  }
  if (run.state === 'pending')
    return <Notice tone="info">It is due and waits for a worker or for its turn.</Notice>
  if (run.state === 'running' && run.next_attempt_at)
    return <NextAttempt run={run} at={run.next_attempt_at} />
  if (run.finished_out_of_time) return <Notice tone="warn">A callback came after its time was up.</Notice>
  return null
}

function NextAttempt({ run, at }: { run: ShownRun; at: string }) {
  const now = useNow()
  const reason = run.attempts.at(-1)?.next_attempt_reason
  const ms = Date.parse(at)
  const step = run.steps.find(({ state }) => state === 'pending' || state === 'running')
  const next = `${step ? `Step ${step.id}, attempt` : 'Attempt'} ${(step ?? run).attempts_made + 1}`
  return (
    <Notice tone="info" title={`${next} ${ms > now ? `in ${formatCountdown(ms, now)}` : 'is due'}`}>
      {reason && <p>{reason}</p>}
    </Notice>
  )
}
