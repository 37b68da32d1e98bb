import type { TransactionSql } from '@workly/db'
import type { Services } from '../context.ts'
import { admitWaiting } from '../run/admit-waiting.ts'
import { insertRuns, type NewRun } from '../run/insert-runs.ts'
import { supersedeWaiting } from '../run/queue-runs.ts'
import { dueTimes } from './due-times.ts'
import { type OpenRuns, type PlanRules, planRuns } from './plan-runs.ts'
import { compileStored, type StoredSchedule } from './stored-schedule.ts'

/** A job whose row is locked and whose `next_run_at` is due. */
export interface DueJob extends StoredSchedule, PlanRules {
  id: string
  organization_id: string
  project_id: string
  request_version_id: string
  host: string
  /** Of a pipeline; 0 otherwise. */
  step_count: number
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
    from runs where job_id = any(${asking}) and state in ('pending', 'running') group by job_id`
  return new Map(rows.map(row => [row.job_id, { any: row.any, notBackfill: row.not_backfill }]))
}

/**
 * Turns every due time of the given jobs into what it becomes and moves `next_run_at` on, all in the caller's
 * transaction, which has locked the job rows: runs, skips, the admission of what may start, and their tasks commit
 * together or not at all. The tick claims batches by it, and each write to a job settles by it first.
 */
export async function claimJobs(
  sql: TransactionSql,
  services: Services,
  jobs: DueJob[],
  now: Date,
): Promise<void> {
  if (jobs.length === 0) return
  const open = await readOpenRuns(sql, jobs)
  const runs: NewRun[] = []
  const moved = jobs.map(job => {
    const due = dueTimes(compileStored(job), job.next_run_at.getTime(), now.getTime())
    for (const planned of planRuns(due, job, open.get(job.id) ?? { any: 0, notBackfill: 0 })) {
      runs.push({
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
      })
    }
    return { id: job.id, next: due.next === null ? null : new Date(due.next).toISOString() }
  })
  const inserted = await insertRuns(sql, runs, now)
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
    update jobs j set next_run_at = m.next, runs_skipped = j.runs_skipped + m.skips,
      state = case when m.next is null then 'completed' else j.state end
    from unnest(${moved.map(m => m.id)}::text[], ${moved.map(m => m.next)}::timestamptz[],
      ${moved.map(m => skips.get(m.id) ?? 0)}::int[]) as m(id, next, skips)
    where j.id = m.id`
  await admitWaiting(
    sql,
    services.limits,
    inserted.filter(r => r.state === 'pending').map(r => r.project_id),
    now,
    tally,
  )
}
