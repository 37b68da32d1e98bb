'use client'

import { formatCountdown } from '#time/relative.ts'
import type { ShownAttempt } from '#trpc/router.ts'
import { useNow } from '#ui/clock.tsx'
import { ShortMoment } from '#ui/moment.tsx'
import { Notice } from '#ui/notice.tsx'

interface CallbackViewProps {
  attempt: Pick<ShownAttempt, 'id' | 'state' | 'response'>
  callback: NonNullable<ShownAttempt['callback']>
}

/** The callback of an attempt: how long it is waited for, or what it said. */
export function CallbackView({ attempt, callback }: CallbackViewProps) {
  if (callback.received_at === null) {
    if (callback.deadline === null) return null
    if (attempt.state === 'waiting' || attempt.state === 'running')
      return <OpenCallback attemptId={attempt.id} deadline={callback.deadline} />
    return (
      <p className="text-[13px]">
        Its callback was waited for until <ShortMoment at={callback.deadline} className="font-medium" />.
      </p>
    )
  }
  return (
    <p className="text-[13px] [overflow-wrap:anywhere]">
      Its callback came at <ShortMoment at={callback.received_at} className="font-medium" /> and said{' '}
      <span className="font-medium">{callback.result}</span>
      {callback.description && `: ${callback.description}`}
    </p>
  )
}

/** Counts down, and tells what is waited for: never the token, which only the target has. */
function OpenCallback({ attemptId, deadline }: { attemptId: string; deadline: string }) {
  const now = useNow()
  const until = Date.parse(deadline)
  return (
    <Notice
      tone="info"
      title={
        until > now
          ? `Waits ${formatCountdown(until, now)} more for its callback`
          : 'The wait for its callback is over'
      }
    >
      <p>
        Until <ShortMoment at={deadline} />. The target ends it by a POST of{' '}
        <code className="font-mono text-xs">{'{"result": "OK"}'}</code> to the URL it was given:
      </p>
      <p className="mt-1 font-mono text-xs break-all">…/v1/callbacks/{attemptId}/‹token›</p>
    </Notice>
  )
}
