import { type FieldIssue, invalid, parseInstant, type RunState, timesBetween } from '@workly/core'
import type { TransactionSql } from '@workly/db'
import { audit } from '../audit.ts'
import { authorize } from '../authorize.ts'
import { type ProjectContext, readClock } from '../context.ts'
import { type JobRow, loadJob } from '../job/job-row.ts'
import { settleJob } from '../job/settle-job.ts'
import { stepCountOf } from '../job/stored-request.ts'
import { compileStored } from '../schedule/stored-schedule.ts'
import { wireInstant } from '../wire-instant.ts'
import { admitWaiting } from './admit-waiting.ts'
import { insertRuns } from './insert-runs.ts'
import { putBack } from './put-back.ts'
import { releaseWaiting } from './release-waiting.ts'

/** Times in one call (spec section 5). */
export const MOST_BACKFILLED = 1_000

export interface BackfillRequest {
  from: string
  to: string
  /** False: also times whose run succeeded, and times whose run retention may have removed. */
  only_missing?: boolean | null | undefined
  /** Counts, and changes nothing. */
  dry_run?: boolean | null | undefined
}

/** What a backfill does, or would do, with the times of its range. */
export interface Backfill {
  dry_run: boolean
  /** Scheduled times in the range. */
  times: number
  /** Times without a run, which get one. */
  created: number
  /** Times whose run is put back to pending. */
  retried: number
  /** Times left alone: their run succeeded (with `only_missing`) or is still going. */
  unchanged: number
  /** Times left alone since retention may have removed their run; taken with `only_missing: false`. */
  unknown: number
  /** The runs made and put back, by scheduled time. */
  runs: { id: string; scheduled_for: string }[]
}

interface FoundRun {
  id: string
  state: RunState
  scheduled_for: Date
}

function readRange(request: BackfillRequest, now: Date): { from: number; to: number } {
  const issues: FieldIssue[] = []
  const read = (field: 'from' | 'to') => {
    const ms = parseInstant(request[field])
    if (ms === null)
      issues.push({ field, message: 'an RFC 3339 instant with an offset, such as 2026-12-01T02:00:00Z' })
    return ms ?? 0
  }
  const from = read('from')
  const to = read('to')
  if (issues.length === 0 && from > to) issues.push({ field: 'from', message: 'may not lie after to' })
  if (issues.length === 0 && to > now.getTime()) {
    issues.push({ field: 'to', message: `Only past times can be backfilled; now is ${wireInstant(now)}.` })
  }
  if (issues.length > 0) throw invalid(issues)
  return { from, to }
}

/**
 * Past times of the present schedule. Its `from` and `to` do not bound a backfill (spec section 2); an interval's
 * `from` stays, being what it counts from.
 */
function pastTimes(row: JobRow, from: number, to: number): number[] {
  const window = row.interval_minutes === null ? { from_at: null, to_at: null } : { to_at: null }
  const times = timesBetween(compileStored({ ...row, ...window }), from, to, MOST_BACKFILLED + 1)
  if (times.length > MOST_BACKFILLED) {
    throw invalid([
      { field: 'to', message: `The range holds more than ${MOST_BACKFILLED} times; take it in parts.` },
    ])
  }
  return times
}

async function readFacts(sql: TransactionSql, row: JobRow, from: number, to: number) {
  const runs = await sql<FoundRun[]>`
    select id, state, scheduled_for from runs
    where job_id = ${row.id} and scheduled_for between ${new Date(from)} and ${new Date(to)}`
  const [job] = await sql<
    { pruned_through: Date | null }[]
  >`select pruned_through from jobs where id = ${row.id}`
  return {
    runs: new Map(runs.map(run => [run.scheduled_for.getTime(), run])),
    prunedThrough: job?.pruned_through?.getTime() ?? Number.NEGATIVE_INFINITY,
  }
}

interface Plan {
  create: number[]
  retry: FoundRun[]
  unchanged: number
  unknown: number
}

function plan(times: number[], facts: Awaited<ReturnType<typeof readFacts>>, onlyMissing: boolean): Plan {
  const made: Plan = { create: [], retry: [], unchanged: 0, unknown: 0 }
  for (const time of times) {
    const run = facts.runs.get(time)
    if (!run) {
      if (onlyMissing && time <= facts.prunedThrough) made.unknown++
      else made.create.push(time)
    } else if (
      run.state === 'pending' ||
      run.state === 'running' ||
      (run.state === 'succeeded' && onlyMissing)
    ) {
      made.unchanged++
    } else {
      made.retry.push(run)
    }
  }
  return made
}

/**
 * Runs past times of the present schedule, one after the other (spec section 5): a time without a run gets one, a
 * skipped, failed or cancelled one is retried, a succeeded one only with `only_missing: false`. They do not count for
 * `overlap: skip`, and are admitted after everything else.
 * @throws WorklyError `not_found`, `invalid_request`, `forbidden`
 */
export async function backfillJob(
  ctx: ProjectContext,
  name: string,
  request: BackfillRequest,
): Promise<Backfill> {
  authorize(ctx, 'write')
  return ctx.services.sql.begin(async sql => {
    const found = await loadJob(sql, ctx, name, true)
    const now = await readClock(ctx.services, sql)
    const { from, to } = readRange(request, now)
    const times = pastTimes(found, from, to)
    const dryRun = request.dry_run ?? false
    const row = dryRun ? found : await settleJob(sql, ctx.services, found, now)
    const facts = await readFacts(sql, row, from, to)
    const made = plan(times, facts, request.only_missing ?? true)
    const runs = dryRun ? [] : await carryOut(sql, ctx, row, made, now)
    return {
      dry_run: dryRun,
      times: times.length,
      created: made.create.length,
      retried: made.retry.length,
      unchanged: made.unchanged,
      unknown: made.unknown,
      runs,
    }
  })
}

async function carryOut(
  sql: TransactionSql,
  ctx: ProjectContext,
  row: JobRow,
  made: Plan,
  now: Date,
): Promise<Backfill['runs']> {
  if (made.create.length + made.retry.length === 0) return []
  // As backfills they wait for their turn, one after the other.
  await putBack(
    sql,
    made.retry.map(run => run.id),
    { by: 'backfill', waitsForTurn: true, fromStep: 'first' },
    now,
  )
  const inserted = await insertRuns(
    sql,
    made.create.map(time => ({
      organizationId: row.organization_id,
      projectId: row.project_id,
      jobId: row.id,
      requestVersionId: row.request_version_id,
      host: row.host,
      trigger: 'backfill',
      setGoingBy: 'backfill',
      scheduledFor: new Date(time),
      state: 'pending',
      skipReason: null,
      waitsForTurn: true,
      stepCount: stepCountOf(row.request),
    })),
    now,
  )
  await audit(sql, ctx, now, {
    action: 'job.backfill',
    subject: { kind: 'job', id: row.id, name: row.name },
    projectId: ctx.projectId,
    after: { created: made.create.length, retried: made.retry.length },
  })
  await admitWaiting(sql, ctx.services.limits, await releaseWaiting(sql, [row.id]), now)
  const times = await sql<{ id: string; scheduled_for: Date }[]>`
    select id, scheduled_for from runs where id = any(${[...inserted, ...made.retry].map(run => run.id)})
    order by scheduled_for`
  return times.map(run => ({ id: run.id, scheduled_for: wireInstant(run.scheduled_for) }))
}
