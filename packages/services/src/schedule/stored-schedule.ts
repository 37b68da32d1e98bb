import { formatInstant, parseSchedule, type Schedule } from '@workly/core'

/** A schedule version as its row holds it. */
export interface StoredSchedule {
  cron: string | null
  dialect: 'standard' | 'extended'
  interval_minutes: number | null
  at: Date | null
  timezone: string
  from_at: Date | null
  to_at: Date | null
  /** From where an interval counts when `from` is not given: the job's creation. */
  anchor_at: Date
}

const text = (at: Date | null) => (at ? formatInstant(at.getTime()) : null)

/** The compiled schedule of a stored version. It was checked when it was written, so it compiles. */
export function compileStored(stored: StoredSchedule): Schedule {
  return parseSchedule(
    {
      cron: stored.cron,
      interval_minutes: stored.interval_minutes,
      at: text(stored.at),
      timezone: stored.timezone,
      dialect: stored.dialect,
      from: text(stored.from_at),
      to: text(stored.to_at),
    },
    { createdAtMs: stored.anchor_at.getTime() },
  )
}
