'use client'

import { formatInstantWithOffset, formatShort } from '#time/instant.ts'
import { formatRelative } from '#time/relative.ts'
import { useNow, useViewerZone } from './clock.tsx'

interface MomentProps {
  /** RFC 3339. */
  at: string
  className?: string
}

/** How far away an instant is; the instant itself shows on hover. */
export function RelativeMoment({ at, className }: MomentProps) {
  const now = useNow()
  const zone = useViewerZone()
  const ms = Date.parse(at)
  return (
    <time
      dateTime={at}
      title={formatInstantWithOffset(ms, zone)}
      className={`tnum whitespace-nowrap ${className ?? ''}`}
    >
      {formatRelative(ms, now)}
    </time>
  )
}

/** An instant on the reader's clocks; how far away it is shows on hover. */
export function ShortMoment({ at, className }: MomentProps) {
  const now = useNow()
  const zone = useViewerZone()
  const ms = Date.parse(at)
  return (
    <time
      dateTime={at}
      title={`${formatInstantWithOffset(ms, zone)} (${formatRelative(ms, now)})`}
      className={`tnum whitespace-nowrap ${className ?? ''}`}
    >
      {formatShort(ms, zone, now)}
    </time>
  )
}
