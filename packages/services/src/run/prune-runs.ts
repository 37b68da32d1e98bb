import type { Sql, TransactionSql } from '@workly/db'
import type { Services } from '../context.ts'
import { removeRuns } from './remove-runs.ts'

/** A place in the order in which runs have ended. */
export interface EndedPosition {
  finishedAt: Date
  id: string
}

/** Before every run that has ended. */
export const BEFORE_ALL: EndedPosition = { finishedAt: new Date(0), id: '' }

/** Runs in one batch: their jobs are locked while it lasts, some hundredths of a second. */
export const RUNS_PER_BATCH = 500

/** What one batch did. */
export interface PrunedRuns {
  removed: number
  /** Runs that could go, but were locked, or put back at that moment. */
  left: number
  /** Where the next batch goes on. */
  reached: EndedPosition
  /** Whether runs that are old enough lie behind it. */
  more: boolean
}

interface OldRun {
  id: string
  job_id: string
  finished_at: Date
  removable: boolean
}

/**
 * Removes runs that ended before `before`, but never a job's latest run, its latest that was not skipped, or one still
 * going (spec section 5, "Retention"). One batch looks at the next runs after `after`, so that a run that is kept is
 * looked at once in a pass, however many batches the pass takes.
 *
 * A run and all that hangs on it go in one transaction, with the job's `pruned_through` set to the latest scheduled time
 * that went. Jobs and runs that anyone has locked are passed over.
 */
export async function pruneRuns(
  services: Services,
  before: Date,
  after: EndedPosition,
  limit = RUNS_PER_BATCH,
): Promise<PrunedRuns> {
  const page = await readOldRuns(services.sql, before, after, limit)
  const removable = page.filter(run => run.removable)
  const removed =
    removable.length === 0 ? 0 : await services.sql.begin(sql => removeUnlocked(sql, removable, before))
  const last = page.at(-1)
  return {
    removed,
    left: removable.length - removed,
    reached: last ? { finishedAt: last.finished_at, id: last.id } : after,
    more: page.length === limit,
  }
}

/**
 * What is not removable can become so, when a newer run comes; what is removable stays so unless it is put back: the
 * newest run of a job never becomes a skipped one, since only a newer one makes it that.
 */
async function readOldRuns(sql: Sql, before: Date, after: EndedPosition, limit: number): Promise<OldRun[]> {
  return sql<OldRun[]>`
    select r.id, r.job_id, r.finished_at,
      exists (select from runs n where n.job_id = r.job_id and n.id > r.id)
      and (r.state = 'skipped'
        or exists (select from runs n where n.job_id = r.job_id and n.id > r.id and n.state <> 'skipped')) as removable
    from (
      select id, job_id, finished_at, state from runs
      where finished_at < ${before} and (finished_at, id) > (${after.finishedAt}, ${after.id})
      order by finished_at, id limit ${limit}
    ) r
    order by r.finished_at, r.id`
}

/** @returns how many were removed */
async function removeUnlocked(sql: TransactionSql, wanted: OldRun[], before: Date): Promise<number> {
  const jobs = await sql<{ id: string }[]>`
    select id from jobs where id = any(${[...new Set(wanted.map(run => run.job_id))]})
    order by id for no key update skip locked`
  const runs = await sql<{ id: string }[]>`
    select id from runs
    where id = any(${wanted.map(run => run.id)}) and job_id = any(${jobs.map(job => job.id)})
      and finished_at < ${before}
    order by id for update skip locked`
  if (runs.length === 0) return 0
  const ids = runs.map(run => run.id)
  await sql`
    update jobs j set pruned_through = greatest(j.pruned_through, r.latest)
    from (select job_id, max(scheduled_for) as latest from runs where id = any(${ids}) group by job_id) r
    where j.id = r.job_id`
  await removeRuns(sql, ids)
  return ids.length
}
