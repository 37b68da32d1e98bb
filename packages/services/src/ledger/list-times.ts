import { type FieldIssue, invalid, parseInstant, type Schedule, timesBetween } from '@workly/core'
import type { Sql } from '@workly/db'
import { authorize } from '../authorize.ts'
import { type ProjectContext, readClock } from '../context.ts'
import { readCursor, readLimit, writeCursor } from '../cursor.ts'
import { type JobRow, loadJob } from '../job/job-row.ts'
import { compileStored, type StoredSchedule } from '../schedule/stored-schedule.ts'
import { wireInstant } from '../wire-instant.ts'
import { type Judgement, judgeRun, judgeWithoutRun, type LedgerRun } from './outcome.ts'

export interface LedgerQuery {
  /** RFC 3339 instants, both included. Default: the week up to now. */
  from?: string | undefined
  to?: string | undefined
  limit?: number | undefined
  cursor?: string | undefined
}

/** One scheduled time and what became of it. */
export interface LedgerEntry extends Judgement {
  scheduled_for: string
  run: { id: string; state: LedgerRun['state']; trigger: LedgerRun['trigger'] } | null
  /** Whether the job's present schedule has this time. */
  current_schedule: boolean
}

interface Version {
  schedule: Schedule
  /** In force for times after this. */
  from: number
  /** In force for times up to this, included; Infinity for the present one. */
  to: number
}

const WEEK_MS = 7 * 86_400_000

function readRange(query: LedgerQuery, now: Date): { from: number; to: number } {
  const issues: FieldIssue[] = []
  const read = (field: 'from' | 'to', text: string | undefined, fallback: number) => {
    const ms = text === undefined ? fallback : parseInstant(text)
    if (ms === null)
      issues.push({ field, message: 'an RFC 3339 instant with an offset, such as 2026-12-01T02:00:00Z' })
    return ms ?? 0
  }
  const to = read('to', query.to, now.getTime())
  const from = read('from', query.from, to - WEEK_MS)
  if (issues.length === 0 && from > to) issues.push({ field: 'from', message: 'may not lie after to' })
  if (issues.length > 0) throw invalid(issues)
  return { from, to }
}

async function readVersions(sql: Sql, job: JobRow, from: number, to: number): Promise<Version[]> {
  const rows = await sql<(StoredSchedule & { valid_from: Date; valid_to: Date | null })[]>`
    select cron, dialect, interval_minutes, at, timezone, from_at, to_at, anchor_at, valid_from, valid_to
    from schedule_versions
    where organization_id = ${job.organization_id} and job_id = ${job.id} and valid_from <= ${new Date(to)}
      and (valid_to is null or valid_to >= ${new Date(from)})
    order by valid_from`
  return rows.map(row => ({
    schedule: compileStored(row),
    from: row.valid_from.getTime(),
    to: row.valid_to?.getTime() ?? Number.POSITIVE_INFINITY,
  }))
}

async function readRuns(
  sql: Sql,
  jobId: string,
  from: number,
  to: number,
  limit: number,
): Promise<Map<number, LedgerRun>> {
  const rows = await sql<
    {
      id: string
      state: LedgerRun['state']
      skip_reason: LedgerRun['skipReason']
      trigger: LedgerRun['trigger']
      error_message: string | null
      scheduled_for: Date
    }[]
  >`
    select id, state, skip_reason, trigger, error_message, scheduled_for from runs
    where job_id = ${jobId} and scheduled_for between ${new Date(from)} and ${new Date(to)}
    order by scheduled_for limit ${limit}`
  return new Map(
    rows.map(row => [
      row.scheduled_for.getTime(),
      {
        id: row.id,
        state: row.state,
        skipReason: row.skip_reason,
        trigger: row.trigger,
        errorMessage: row.error_message,
      },
    ]),
  )
}

async function readPauses(
  sql: Sql,
  job: JobRow,
  from: number,
): Promise<{ from: number; to: number | null }[]> {
  const rows = await sql<{ paused_at: Date; resumed_at: Date | null }[]>`
    select paused_at, resumed_at from pause_intervals
    where organization_id = ${job.organization_id} and job_id = ${job.id}
      and (resumed_at is null or resumed_at >= ${new Date(from)})`
  return rows.map(row => ({ from: row.paused_at.getTime(), to: row.resumed_at?.getTime() ?? null }))
}

/** Every time of the range that is one of the present schedule, or was one of the schedule then in force. */
function scheduledTimes(present: Schedule, versions: Version[], from: number, to: number, most: number) {
  const current = new Set(timesBetween(present, from, to, most))
  const then = new Set<number>()
  for (const version of versions) {
    const start = Math.max(from, version.from + 1)
    const end = Math.min(to, version.to)
    if (start <= end) for (const ms of timesBetween(version.schedule, start, end, most)) then.add(ms)
  }
  return { current, then }
}

/**
 * The ledger: what became of each scheduled time of a range and why, across edits, pauses, outages and retention; it
 * answers "why didn't the 03:00 report run?". Runs by hand are in it at their instants. Oldest first.
 * @throws WorklyError `not_found`, `invalid_request`
 */
export async function listTimes(
  ctx: ProjectContext,
  name: string,
  query: LedgerQuery = {},
): Promise<{ data: LedgerEntry[]; next_cursor: string | null }> {
  authorize(ctx, 'read')
  const { sql } = ctx.services
  const limit = readLimit(query.limit)
  const [job, now] = await Promise.all([loadJob(sql, ctx, name), readClock(ctx.services, sql)])
  const range = readRange(query, now)
  const from = query.cursor === undefined ? range.from : cursorTime(query.cursor) + 1
  const { to } = range
  const present = compileStored(job)
  const [versions, runs, pauses] = await Promise.all([
    readVersions(sql, job, from, to),
    readRuns(sql, job.id, from, to, limit + 1),
    readPauses(sql, job, from),
  ])
  // After the runs: retention may be removing one, which must then read as removed.
  const pruned = await readPrunedThrough(sql, job)
  const { current, then } = scheduledTimes(present, versions, from, to, limit + 1)
  const times = [...new Set([...current, ...then, ...runs.keys()])].sort((a, b) => a - b).slice(0, limit + 1)
  const entries = times.slice(0, limit).map((time): LedgerEntry => {
    const run = runs.get(time)
    const judged = run
      ? judgeRun(run)
      : judgeWithoutRun(time, {
          createdAt: job.created_at.getTime(),
          now: now.getTime(),
          nextRunAt: job.next_run_at?.getTime() ?? null,
          prunedThrough: pruned,
          pauses,
          wasScheduled: then.has(time),
        })
    return {
      scheduled_for: wireInstant(new Date(time)),
      ...judged,
      run: run ? { id: run.id, state: run.state, trigger: run.trigger } : null,
      current_schedule: current.has(time),
    }
  })
  const last = times[limit - 1]
  return {
    data: entries,
    next_cursor: times.length > limit && last !== undefined ? writeCursor([String(last)]) : null,
  }
}

function cursorTime(cursor: string): number {
  const [text = ''] = readCursor(cursor, 1)
  if (!/^\d{1,15}$/.test(text))
    throw invalid([{ field: 'cursor', message: 'Send the next_cursor of the page before, as it was.' }])
  return Number(text)
}

async function readPrunedThrough(sql: Sql, job: JobRow): Promise<number | null> {
  const [row] = await sql<
    { pruned_through: Date | null }[]
  >`select pruned_through from jobs where id = ${job.id}`
  return row?.pruned_through?.getTime() ?? null
}
