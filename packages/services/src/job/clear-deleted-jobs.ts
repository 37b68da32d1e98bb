import type { TransactionSql } from '@workly/db'
import type { Services } from '../context.ts'
import { RUNS_PER_BATCH } from '../run/prune-runs.ts'
import { removeRuns } from '../run/remove-runs.ts'

/** Deleted jobs in one batch. */
const JOBS_PER_BATCH = 50

interface DeletedJob {
  id: string
  organization_id: string
  deleted_at: Date
}

/**
 * Removes the rows of deleted jobs behind the deletion (spec section 5, "Delete"): their runs in batches, and once a
 * job has none left, all else that it had and the job itself. Yields after each batch how many rows of jobs and runs
 * went. A job or run that anyone has locked is left to the next pass.
 */
export async function* clearDeletedJobs(services: Services): AsyncGenerator<number> {
  let after: Pick<DeletedJob, 'id' | 'deleted_at'> = { deleted_at: new Date(0), id: '' }
  for (;;) {
    const batch = await services.sql.begin(async sql => {
      const jobs = await sql<DeletedJob[]>`
        select id, organization_id, deleted_at from jobs
        where deleted_at is not null and (deleted_at, id) > (${after.deleted_at}, ${after.id})
        order by deleted_at, id limit ${JOBS_PER_BATCH} for update skip locked`
      const runs = await removeSomeRuns(sql, jobs)
      return { jobs, runs, removed: runs + (await removeEmpty(sql, jobs)) }
    })
    yield batch.removed
    const last = batch.jobs.at(-1)
    if (!last) return
    if (batch.runs < RUNS_PER_BATCH) after = last
  }
}

/** @returns how many */
async function removeSomeRuns(sql: TransactionSql, jobs: DeletedJob[]): Promise<number> {
  const runs = await sql<{ id: string }[]>`
    select id from runs where job_id = any(${jobs.map(job => job.id)}) and finished_at is not null
    limit ${RUNS_PER_BATCH} for update skip locked`
  await removeRuns(
    sql,
    runs.map(run => run.id),
  )
  return runs.length
}

/** Removes those of the deleted jobs that have no run left. @returns how many */
async function removeEmpty(sql: TransactionSql, jobs: DeletedJob[]): Promise<number> {
  const empty = await sql<{ id: string; organization_id: string }[]>`
    select id, organization_id from jobs j
    where id = any(${jobs.map(job => job.id)}) and not exists (select from runs r where r.job_id = j.id)`
  if (empty.length === 0) return 0
  // By organization too: it leads their indexes.
  const ofThem = sql`(organization_id, job_id) in (select * from unnest(
    ${empty.map(job => job.organization_id)}::text[], ${empty.map(job => job.id)}::text[]))`
  await sql`
    delete from incidents where (organization_id, alert_rule_id) in (
      select organization_id, id from alert_rules where ${ofThem})`
  await sql`delete from alert_rules where ${ofThem}`
  await sql`delete from request_versions where ${ofThem}`
  await sql`delete from schedule_versions where ${ofThem}`
  await sql`delete from pause_intervals where ${ofThem}`
  await sql`delete from secret_values where ${ofThem}`
  await sql`delete from jobs where id = any(${empty.map(job => job.id)})`
  return empty.length
}
