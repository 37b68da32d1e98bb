import type { TransactionSql } from '@workly/db'
import { type Counted, Tally } from '../metrics/tally.ts'
import { leaveRest } from './end-steps.ts'

/**
 * Under `queue`, of a job's waiting scheduled runs only the latest stays; the earlier become skipped. Runs that were put
 * back count as by hand or as backfills, and stay (spec section 5, overlap). The caller holds the jobs' locks.
 * @returns what to count, for the caller's admission
 */
export async function supersedeWaiting(sql: TransactionSql, jobIds: string[], now: Date): Promise<Tally> {
  const tally = new Tally()
  if (jobIds.length === 0) return tally
  const rows = await sql<(Counted & { id: string; step_count: number })[]>`
    with waiting as (
      select id, row_number() over (partition by job_id order by scheduled_for desc) as place from runs
      where job_id = any(${jobIds}) and waits_for_turn and state = 'pending' and trigger = 'schedule' and not put_back
    ), superseded as (
      update runs r set state = 'skipped', skip_reason = 'overlap', finished_at = ${now}, due_at = null,
        waits_for_turn = false
      from waiting w where r.id = w.id and w.place > 1
      returning r.id, r.job_id, r.organization_id, r.project_id, r.step_count
    ), counted as (
      update jobs j set runs_skipped = runs_skipped + n
      from (select job_id, count(*) as n from superseded group by job_id) c where j.id = c.job_id
    )
    select id, organization_id, project_id, step_count from superseded`
  await leaveRest(
    sql,
    rows.filter(row => row.step_count > 0).map(row => row.id),
  )
  for (const row of rows) tally.run(row, 'skipped', 'overlap')
  return tally
}

/**
 * Locks the runs that {@link lineUp} will change. Call it before the job is settled, which may lock the project: whoever
 * holds one of these runs (a rescuer that gives it a new task, a container that begins) may want the project next.
 */
export async function lockNotBegun(sql: TransactionSql, jobId: string): Promise<void> {
  // In the order in which a batch of begins takes them, so that the two never wait for each other.
  await sql`
    select id from runs where job_id = ${jobId} and finished_at is null and state = 'pending' and not waits_for_turn
    order by id for no key update`
}

/**
 * Makes the runs of a job that has just become a queue wait for their turn, but for those under way: what has begun goes
 * on, what was only admitted gives its slot back, and its task becomes an old one. Its runs are locked already, by
 * {@link lockNotBegun}.
 */
export async function lineUp(sql: TransactionSql, jobId: string, now: Date): Promise<void> {
  await sql`
    update runs set waits_for_turn = true, slot_host = null, admitted_at = null, due_at = coalesce(due_at, ${now}),
      task_number = task_number + 1
    where job_id = ${jobId} and finished_at is null and state = 'pending' and not waits_for_turn`
}
