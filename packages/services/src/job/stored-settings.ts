import { isDeepStrictEqual } from 'node:util'
import { type FieldIssue, nextTime, noTimeLeft, parseInstant, type Schedule } from '@workly/core'
import type { StoredSchedule } from '../schedule/stored-schedule.ts'
import type { JobRow } from './job-row.ts'
import type { OtherSettings } from './job-settings.ts'
import type { StoredRequest } from './stored-request.ts'

const date = (text: string | null) => {
  const ms = text ? parseInstant(text) : null
  return ms === null ? null : new Date(ms)
}

/** The row form of a checked schedule: its fields in their normal spelling. */
export function storedSchedule({ fields }: Schedule, anchor: Date): StoredSchedule {
  return {
    cron: fields.cron,
    dialect: fields.dialect,
    interval_minutes: fields.interval_minutes,
    at: date(fields.at),
    timezone: fields.timezone,
    from_at: date(fields.from),
    to_at: date(fields.to),
    anchor_at: anchor,
  }
}

/** What of a job its settings are, in the form that rows hold: two jobs are set alike when these are equal. */
export interface StoredSettings {
  schedule: StoredSchedule
  request: StoredRequest
  rest: OtherSettings
}

export function settingsOfRow(row: JobRow): StoredSettings {
  return {
    schedule: {
      cron: row.cron,
      dialect: row.dialect,
      interval_minutes: row.interval_minutes,
      at: row.at,
      timezone: row.timezone,
      from_at: row.from_at,
      to_at: row.to_at,
      anchor_at: row.anchor_at,
    },
    request: row.request,
    rest: {
      max_attempts: row.max_attempts,
      min_backoff_seconds: row.min_backoff_seconds,
      max_backoff_seconds: row.max_backoff_seconds,
      backoff_multiplier: row.backoff_multiplier,
      retry_on_4xx: row.retry_on_4xx,
      overlap: row.overlap,
      missed: row.missed,
      description: row.description,
      tags: row.tags,
    },
  }
}

export function sameSettings(a: unknown, b: unknown): boolean {
  return isDeepStrictEqual(a, b)
}

/**
 * The first time after now. A create or a schedule change that leaves none is refused on the field that ends it (spec
 * section 2), which is added to `issues`; null then.
 */
export function futureTime(schedule: Schedule, now: Date, issues: FieldIssue[]): Date | null {
  const problem = noTimeLeft(schedule, now.getTime())
  if (problem !== null) issues.push(problem)
  const next = nextTime(schedule, now.getTime())
  return next === null ? null : new Date(next)
}
