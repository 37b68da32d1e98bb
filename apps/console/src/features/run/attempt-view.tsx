'use client'

import type { AttemptState } from '@workly/core'
import { useState } from 'react'
import { formatDuration } from '#time/duration.ts'
import type { ShownAttempt } from '#trpc/router.ts'
import { Code } from '#ui/code.tsx'
import { Icon, type IconName } from '#ui/icon.tsx'
import { ShortMoment } from '#ui/moment.tsx'
import { Notice } from '#ui/notice.tsx'
import { shownBody } from './body-text.ts'
import { CallbackView } from './callback-view.tsx'
import { ContainerView } from './container-view.tsx'
import { HeadersView } from './headers-view.tsx'
import { LateResult } from './late-result.tsx'
import { Waterfall } from './waterfall.tsx'
import { classWords } from './words.ts'

const MARKS: Record<AttemptState, { word: string; icon: IconName; colour: string }> = {
  running: { word: 'Running', icon: 'turning', colour: 'text-busy' },
  waiting: { word: 'Waiting for its callback', icon: 'clock', colour: 'text-busy' },
  succeeded: { word: 'Succeeded', icon: 'check', colour: 'text-good' },
  failed: { word: 'Failed', icon: 'cross', colour: 'text-bad' },
  cancelled: { word: 'Cancelled', icon: 'stop', colour: 'text-muted' },
  lost: { word: 'Lost', icon: 'warning', colour: 'text-warn' },
}

interface AttemptViewProps {
  attempt: ShownAttempt
  /** Whether it is open at first; afterwards only the reader opens and closes it. */
  startsOpen: boolean
  /** In place of its number. */
  title?: string
}

export function AttemptView({ attempt, startsOpen, title }: AttemptViewProps) {
  const [isOpen, setOpen] = useState(startsOpen)
  const mark = MARKS[attempt.state]
  const total = attempt.timings.total_ms
  return (
    <details open={isOpen} onToggle={event => setOpen(event.currentTarget.open)} className="group">
      <summary className="flex min-h-11 list-none flex-wrap [&::-webkit-details-marker]:hidden items-center gap-x-3 gap-y-0.5 px-4 py-2 hover:bg-canvas">
        <Icon name="chevron" className="size-4 -rotate-90 text-muted group-open:rotate-0" />
        <span className="tnum font-medium">
          {title ?? `Attempt ${attempt.number}${attempt.step ? ` of ${attempt.step}` : ''}`}
        </span>
        <span className={`inline-flex items-center gap-1.5 font-medium ${mark.colour}`}>
          <Icon name={mark.icon} className={`size-4 ${attempt.state === 'running' ? 'turning' : ''}`} />
          {mark.word}
        </span>
        {/* On a phone a line of its own, that is there from the first: what comes in moves nothing. */}
        <span className="flex items-center gap-3 text-[13px] text-muted max-sm:basis-full max-sm:pl-7 sm:ml-auto">
          {attempt.response && <StatusCode status={attempt.response.status} />}
          {attempt.error && <span className="font-mono text-xs">{attempt.error.class}</span>}
          {total !== null && <span className="tnum">{formatDuration(total)}</span>}
          <ShortMoment at={attempt.started_at} />
        </span>
      </summary>
      {isOpen && <AttemptDetails attempt={attempt} />}
    </details>
  )
}

function StatusCode({ status }: { status: number }) {
  const isGood = status >= 200 && status < 300
  return (
    <span
      className={`tnum rounded px-1.5 font-mono text-xs leading-5 font-medium ${isGood ? 'bg-good-soft text-good' : 'bg-bad-soft text-bad'}`}
    >
      <span className="sr-only">Status </span>
      {status}
    </span>
  )
}

function AttemptDetails({ attempt }: { attempt: ShownAttempt }) {
  // Several may be open: what scrolls in them is told apart by it.
  const whose = `of attempt ${attempt.number}${attempt.step ? ` of ${attempt.step}` : ''}`
  return (
    <div className="grid gap-4 px-4 pt-1 pb-4 sm:pl-11">
      {attempt.error && (
        <Notice tone={attempt.state === 'failed' ? 'bad' : 'warn'}>
          {attempt.error.message || classWords(attempt.error.class, attempt.response?.status ?? null)}
        </Notice>
      )}
      {attempt.next_attempt_at && (
        <p className="text-[13px]">
          Next attempt due at <ShortMoment at={attempt.next_attempt_at} className="font-medium" />.{' '}
          <span className="text-muted">{attempt.next_attempt_reason}</span>
        </p>
      )}
      {attempt.callback && <CallbackView attempt={attempt} callback={attempt.callback} />}
      <Waterfall timings={attempt.timings} />
      {attempt.container && <ContainerView container={attempt.container} whose={whose} />}
      {attempt.response && <ResponseView response={attempt.response} whose={whose} />}
      {attempt.late_result !== null && <LateResult late={attempt.late_result} />}
    </div>
  )
}

interface ResponseViewProps {
  response: NonNullable<ShownAttempt['response']>
  whose: string
}

function ResponseView({ response, whose }: ResponseViewProps) {
  const body = shownBody(response)
  return (
    <>
      <div className="grid gap-1.5">
        <h3 className="text-[13px] font-medium">Response headers</h3>
        <HeadersView label={`Response headers ${whose}`} headers={response.headers} />
      </div>
      <div className="grid gap-1.5">
        <h3 className="text-[13px] font-medium">Response body</h3>
        {body.text === '' ? (
          <p className="text-[13px] text-muted">Empty.</p>
        ) : (
          <Code label={`response body ${whose}`} text={body.text} wrap />
        )}
        {body.note && <p className="text-[13px] text-muted">{body.note}</p>}
      </div>
    </>
  )
}
