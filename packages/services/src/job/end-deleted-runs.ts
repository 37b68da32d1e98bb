import type { Sql, TransactionSql } from '@workly/db'
import { readClock, type Services } from '../context.ts'
import type { Tally } from '../metrics/tally.ts'
import { admitWaiting } from '../run/admit-waiting.ts'
import { endOpenRuns } from '../run/end-open-runs.ts'

/** Runs in one transaction: some hundredths of a second. */
const RUNS_PER_BATCH = 1_000

/**
 * Ends the calls in flight of a job that is deleted, and so many of its other open runs; the caller holds the job's lock,
 * and admits afterwards.
 * @returns what to count, for that admission
 */
export function endRunsOfDeletedJob(
  sql: TransactionSql,
  jobId: string,
  now: Date,
  limit = RUNS_PER_BATCH,
): Promise<Tally> {
  return endOpenRuns(
    sql,
    sql`job_id = ${jobId} and (slot_host is not null or id in (
      select id from runs where job_id = ${jobId} and finished_at is null limit ${limit}))`,
    'The job was deleted.',
    now,
  )
}

/**
 * Ends, behind its deletion, what a job that had very many open runs has left (spec section 5, "Delete"): one batch of
 * one job. Until then nothing admits, begins or releases them, and no result or callback of theirs is taken.
 * @returns whether there may be more
 */
export async function endDeletedRuns(services: Services, limit = RUNS_PER_BATCH): Promise<boolean> {
  const left = (sql: Sql | TransactionSql) => sql`
    select id, project_id from jobs j
    where deleted_at is not null
      and exists (select from runs r where r.job_id = j.id and r.finished_at is null)
    order by deleted_at limit 1`
  // Most often there is none, which is seen without a transaction: each worker looks every second.
  if ((await left(services.sql)).length === 0) return false
  return services.sql.begin(async sql => {
    const [job] = await sql<{ id: string; project_id: string }[]>`${left(sql)} for no key update skip locked`
    if (!job) return false
    const now = await readClock(services, sql)
    const ended = await endRunsOfDeletedJob(sql, job.id, now, limit)
    await admitWaiting(sql, services.limits, [job.project_id], now, ended)
    return true
  })
}
