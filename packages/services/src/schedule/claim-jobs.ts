import type { TransactionSql } from '@workly/db'
import type { BegunAttempt } from '../attempt/begin-attempts.ts'
import type { Services } from '../context.ts'
import type { Hand } from '../run/begin-new-runs.ts'
import { insertRuns, type NewRun } from '../run/insert-runs.ts'
import { supersedeWaiting } from '../run/queue-runs.ts'
import { startRuns } from '../run/start-runs.ts'
import { type DueTimes, dueTimes } from './due-times.ts'
import { type OpenRuns, type PlannedRun, type PlanRules, planRuns } from './plan-runs.ts'
import { compileStored, type StoredSchedule } from './stored-schedule.ts'
import { ZONE_RULES } from './zone-rules.ts'

/** A job whose row is locked and whose `next_run_at` is due. */
export interface DueJob extends StoredSchedule, PlanRules {
  id: string
  name: string
  organization_id: string
  project_id: string
  request_version_id: string
  host: string
  /** Of a pipeline; 0 otherwise. */
  step_count: number
  /** One HTTP call that is done with its response: what may be begun as it is claimed. */
  is_plain_call: boolean
  next_run_at: Date
}

interface OpenRow {
  job_id: string
  any: number
  not_backfill: number
}

async function readOpenRuns(sql: TransactionSql, jobs: DueJob[]): Promise<Map<string, OpenRuns>> {
  const asking = jobs.filter(job => job.overlap !== 'allow').map(job => job.id)
  if (asking.length === 0) return new Map()
  const rows = await sql<OpenRow[]>`
    select job_id, count(*)::int as any, (count(*) filter (where set_going_by <> 'backfill'))::int as not_backfill
    from runs where job_id = any(${asking}) and finished_at is null group by job_id`
  return new Map(rows.map(row => [row.job_id, { any: row.any, notBackfill: row.not_backfill }]))
}

/** What a claim has done. */
export interface Claimed {
  /** Each job's next time; null when none is left. Jobs that cannot be read are not in it, and stay as they are. */
  next: Map<string, Date | null>
  /** Jobs whose stored schedule this code cannot read, as after a change of the time zone database. */
  unread: { jobId: string; error: unknown }[]
  /** Calls that are begun already. */
  begun: BegunAttempt[]
}

/** What is due of each job; one that cannot be read is left as it is, for code that can, and holds up no other. */
function readDue(jobs: DueJob[], now: Date): Claimed & { due: { job: DueJob; times: DueTimes }[] } {
  const claimed: ReturnType<typeof readDue> = { next: new Map(), unread: [], begun: [], due: [] }
  for (const job of jobs) {
    try {
      const times = dueTimes(compileStored(job), job.next_run_at.getTime(), now.getTime())
      claimed.due.push({ job, times })
      claimed.next.set(job.id, times.next === null ? null : new Date(times.next))
    } catch (error) {
      claimed.unread.push({ jobId: job.id, error })
    }
  }
  return claimed
}

function newRun(job: DueJob, planned: PlannedRun): NewRun {
  return {
    organizationId: job.organization_id,
    projectId: job.project_id,
    jobId: job.id,
    requestVersionId: job.request_version_id,
    host: job.host,
    trigger: 'schedule',
    setGoingBy: 'schedule',
    scheduledFor: new Date(planned.scheduledForMs),
    state: planned.state,
    skipReason: planned.skipReason,
    waitsForTurn: planned.waitsForTurn,
    stepCount: job.step_count,
  }
}

/**
 * Turns every due time of the given jobs into what it becomes and moves `next_run_at` on, all in the caller's
 * transaction, which has locked the job rows: runs, skips, the admission of what may start, and their tasks commit
 * together or not at all. The tick claims batches by it, and each write to a job settles by it first.
 * @param hand the worker that begins what it can of the runs itself; its row is held by the transaction
 */
export async function claimJobs(
  sql: TransactionSql,
  services: Services,
  jobs: DueJob[],
  now: Date,
  hand: Hand | null = null,
): Promise<Claimed> {
  const { due, next, unread } = readDue(jobs, now)
  if (jobs.length === 0) return { next, unread, begun: [] }
  const open = await readOpenRuns(sql, jobs)
  const calls = new Map<NewRun, string>()
  const runs = due.flatMap(({ job, times }) =>
    planRuns(times, job, open.get(job.id) ?? { any: 0, notBackfill: 0 }).map(planned => {
      const run = newRun(job, planned)
      if (job.is_plain_call) calls.set(run, job.name)
      return run
    }),
  )
  const starts = (run: NewRun) => run.state === 'pending' && !run.waitsForTurn
  const inserted = await insertRuns(
    sql,
    runs.filter(run => !starts(run)),
    now,
  )
  // Only what came to be takes another's place: a time that had its run already gets no second one.
  const tally = await supersedeWaiting(
    sql,
    inserted.filter(r => r.waits_for_turn).map(r => r.job_id),
    now,
  )
  const skips = new Map<string, number>()
  for (const run of inserted) {
    if (run.skip_reason === null) continue
    skips.set(run.job_id, (skips.get(run.job_id) ?? 0) + 1)
    tally.run(run, 'skipped', run.skip_reason)
  }
  await sql`
    update jobs j set next_run_at = m.next, zone_rules = ${ZONE_RULES}, runs_skipped = j.runs_skipped + m.skips,
      state = case when m.next is null then 'completed' else j.state end
    from unnest(${[...next.keys()]}::text[], ${[...next.values()].map(at => at?.toISOString() ?? null)}::timestamptz[],
      ${[...next.keys()].map(id => skips.get(id) ?? 0)}::int[]) as m(id, next, skips)
    where j.id = m.id and j.id = any(${[...next.keys()]})`
  const { begun } = await startRuns(
    sql,
    services.limits,
    runs.filter(starts),
    now,
    tally,
    hand && { ...hand, calls },
  )
  return { next, unread, begun }
}
