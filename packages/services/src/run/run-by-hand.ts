import { hasTimeAt } from '@workly/core'
import type { TransactionSql } from '@workly/db'
import type { ProjectContext } from '../context.ts'
import type { JobRow } from '../job/job-row.ts'
import { stepCountOf } from '../job/stored-request.ts'
import { compileStored } from '../schedule/stored-schedule.ts'
import { wireInstant } from '../wire-instant.ts'
import { insertRuns, type NewRun } from './insert-runs.ts'
import { startRuns } from './start-runs.ts'

/**
 * The first free millisecond from `now` on: the job has no run there, nor does its schedule have a time there, which
 * would make that time's own run impossible (spec section 5).
 */
async function freeInstant(sql: TransactionSql, row: JobRow, now: Date): Promise<Date> {
  const schedule = compileStored(row)
  const taken = await sql<{ at: Date }[]>`
    select scheduled_for as at from runs where job_id = ${row.id} and scheduled_for >= ${now} order by scheduled_for`
  const instants = new Set(taken.map(t => t.at.getTime()))
  let ms = now.getTime()
  while (instants.has(ms) || hasTimeAt(schedule, ms)) ms++
  return new Date(ms)
}

/**
 * Makes a run by hand of a locked, settled job. It starts at once, but under `queue` while something of the job is
 * under way (spec section 5, overlap).
 * @returns the run's id
 */
export async function runByHand(
  sql: TransactionSql,
  ctx: ProjectContext,
  row: JobRow,
  trigger: 'manual' | 'execute_now',
  now: Date,
): Promise<string> {
  const scheduledFor = await freeInstant(sql, row, now)
  const [open] = await sql<{ n: number }[]>`
    select count(*)::int as n from runs where job_id = ${row.id} and finished_at is null`
  const made: NewRun = {
    organizationId: row.organization_id,
    projectId: row.project_id,
    jobId: row.id,
    requestVersionId: row.request_version_id,
    host: row.host,
    trigger,
    setGoingBy: 'manual',
    scheduledFor,
    state: 'pending',
    skipReason: null,
    waitsForTurn: row.overlap === 'queue' && (open?.n ?? 0) > 0,
    stepCount: stepCountOf(row.request),
  }
  const [run] = made.waitsForTurn
    ? await insertRuns(sql, [made], now)
    : (await startRuns(sql, ctx.services.limits, [made], now)).inserted
  if (!run) throw new Error(`job ${row.id} already has a run at ${wireInstant(scheduledFor)}`)
  return run.id
}
