import { nextTime, type Schedule } from '@workly/core'
import type { TransactionSql } from '@workly/db'
import type { ProjectContext } from '../context.ts'
import { admitWaiting } from '../run/admit-waiting.ts'
import { lineUp } from '../run/queue-runs.ts'
import { releaseWaiting } from '../run/release-waiting.ts'
import { wakeSchedulers } from '../schedule/wake-schedulers.ts'
import { ZONE_RULES } from '../schedule/zone-rules.ts'
import type { JobRow } from './job-row.ts'
import type { StoredSettings } from './stored-settings.ts'
import { sameSettings, settingsOfRow } from './stored-settings.ts'
import { addRequestVersion, addScheduleVersion } from './write-versions.ts'

/** The settings as the audit log shows them: the request's secrets are references, so no secret is in it. */
export function auditableSettings(settings: StoredSettings): object {
  const { anchor_at: _, ...schedule } = settings.schedule
  return { ...schedule, ...settings.rest, request: settings.request }
}

export interface AppliedChange {
  before: object
  after: object
}

/**
 * Puts new settings on a locked, settled job (spec section 5, "Edits"). A write that changes no schedule field leaves
 * `next_run_at` alone; one that adds times makes a completed job active again; a paused job stays paused.
 * @param next the new schedule's first time after now; null when the schedule stays
 * @returns what changed for the audit log, or null when the job is set so already
 */
export async function applySettings(
  sql: TransactionSql,
  ctx: ProjectContext,
  row: JobRow,
  settings: StoredSettings,
  next: Date | null,
  now: Date,
): Promise<AppliedChange | null> {
  const before = settingsOfRow(row)
  if (sameSettings(before, settings)) return null
  let nextRunAt = row.next_run_at
  let state = row.state
  if (next !== null) {
    await addScheduleVersion(sql, ctx, row.id, settings.schedule, now)
    if (state !== 'paused') {
      state = 'active'
      nextRunAt = next
    }
  }
  if (!sameSettings(before.request, settings.request))
    await addRequestVersion(sql, ctx, row.id, settings.request, now)
  await sql`
    update jobs set ${sql({ ...settings.rest, state, next_run_at: nextRunAt, updated_at: now })},
      ${next === null ? sql`` : sql`zone_rules = ${ZONE_RULES},`} kind = ${settings.request.kind}, revision = revision + 1
    where id = ${row.id}`
  if (before.rest.overlap !== settings.rest.overlap)
    await changeOverlap(sql, ctx, row, settings.rest.overlap, now)
  if (next !== null) await wakeSchedulers(sql)
  return { before: auditableSettings(before), after: auditableSettings(settings) }
}

/** What waited under the old setting may go now; under `queue`, what has not begun waits for its turn from now on. */
async function changeOverlap(
  sql: TransactionSql,
  ctx: ProjectContext,
  row: JobRow,
  overlap: StoredSettings['rest']['overlap'],
  now: Date,
): Promise<void> {
  const skipped = overlap === 'queue' ? await lineUp(sql, row.id, now) : undefined
  if (overlap !== 'queue') await releaseWaiting(sql, [row.id])
  await admitWaiting(sql, ctx.services.limits, [row.project_id], now, skipped)
}

/** State and next time of a job that is let go again: completed when no time is left. */
export function resumedState(
  schedule: Schedule,
  now: Date,
): { state: 'active' | 'completed'; nextRunAt: Date | null } {
  const next = nextTime(schedule, now.getTime())
  return next === null
    ? { state: 'completed', nextRunAt: null }
    : { state: 'active', nextRunAt: new Date(next) }
}
