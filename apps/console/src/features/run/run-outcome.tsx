'use client'

import { formatCountdown } from '#time/relative.ts'
import type { ShownRun } from '#trpc/router.ts'
import { useNow } from '#ui/clock.tsx'
import { Notice } from '#ui/notice.tsx'
import { lateWords } from './late-words.ts'
import { adviceWords, skipWords } from './words.ts'

/**
 * Why a run stands as it does, and what comes next. There is something to say in every state, so that nothing below moves
 * when the state changes before the reader's eyes.
 */
export function RunOutcome({ run }: { run: ShownRun }) {
  return (
    <div className="grid min-h-14 content-start gap-2">
      <Outcome run={run} />
      {run.finished_out_of_time && (
        <Notice tone="warn" title="Finished out of time">
          <p>
            {run.late_result ? lateWords(run.late_result) : 'A callback came.'} The wait was over by then, so
            the run stays failed. Retry it, or let the job wait longer.
          </p>
        </Notice>
      )}
    </div>
  )
}

function Outcome({ run }: { run: ShownRun }) {
  switch (run.state) {
    case 'skipped':
      return <Notice tone="warn">{skipWords(run.skip_reason)}</Notice>
    case 'cancelled':
      return <Notice tone="info">{run.error?.message ?? 'It was cancelled.'}</Notice>
    case 'pending':
      return <Notice tone="info">It is due and waits for a worker or for its turn.</Notice>
    case 'failed':
      return <Failure run={run} />
    case 'succeeded':
      return <Notice tone="good">{succeededWords(run)}</Notice>
    default:
      return <Going run={run} />
  }
}

function succeededWords(run: ShownRun): string {
  if (run.steps.length > 0) return `All ${run.steps.length} steps succeeded.`
  return run.attempts_made > 1 ? `It succeeded on attempt ${run.attempts_made}.` : 'It succeeded.'
}

function Failure({ run }: { run: ShownRun }) {
  if (!run.error) return <Notice tone="bad">It failed.</Notice>
  const step = run.steps.find(({ state }) => state === 'failed')
  const last = run.attempts.findLast(attempt => !step || attempt.step === step.id)
  const advice = adviceWords(run.error.class, last?.response?.status ?? null)
  return (
    <Notice tone="bad" title={run.error.message}>
      {advice && <p>{advice}</p>}
    </Notice>
  )
}

function Going({ run }: { run: ShownRun }) {
  const waiting = run.attempts.find(({ state }) => state === 'waiting')
  if (waiting?.callback?.deadline)
    return <OpenWait step={waiting.step} deadline={waiting.callback.deadline} />
  if (run.next_attempt_at) return <NextAttempt run={run} at={run.next_attempt_at} />
  const open = run.attempts.findLast(({ state }) => state === 'running')
  return (
    <Notice tone="info">
      {open
        ? `Attempt ${open.number}${open.step ? ` of step ${open.step}` : ''} is under way.`
        : 'It is under way.'}
    </Notice>
  )
}

function OpenWait({ step, deadline }: { step: string | null; deadline: string }) {
  const now = useNow()
  const until = Date.parse(deadline)
  const whose = step ? `Step ${step} waits` : 'It waits'
  return (
    <Notice
      tone="info"
      title={
        until > now
          ? `${whose} ${formatCountdown(until, now)} more for its callback`
          : 'The wait for its callback is over'
      }
    />
  )
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
