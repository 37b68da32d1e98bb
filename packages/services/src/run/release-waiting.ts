import type { TransactionSql } from '@workly/db'

/**
 * Lets go what may go of the runs that wait for their turn within these jobs, whose rows the caller has locked: under
 * `queue` the run that was made pending first, once nothing of the job is under way; otherwise everything but
 * backfills, which go one after the other (spec section 5, overlap and backfill).
 * @returns the projects that now have a run to admit
 */
export async function releaseWaiting(sql: TransactionSql, jobIds: string[]): Promise<string[]> {
  if (jobIds.length === 0) return []
  const rows = await sql<{ project_id: string }[]>`
    with waiting as (
      select r.id, r.job_id, r.set_going_by, j.overlap,
        row_number() over (partition by r.job_id order by r.pending_at, r.scheduled_for, r.id) as place,
        row_number() over (partition by r.job_id, r.set_going_by order by r.pending_at, r.scheduled_for, r.id) as place_of_kind
      from runs r join jobs j on j.id = r.job_id and j.deleted_at is null
      where r.job_id = any(${jobIds}) and r.waits_for_turn
    ), under_way as (
      select job_id, count(*) as n, count(*) filter (where set_going_by = 'backfill') as backfills
      from runs
      where job_id in (select job_id from waiting) and finished_at is null and not waits_for_turn
      group by job_id
    )
    update runs r set waits_for_turn = false
    from waiting w left join under_way u on u.job_id = w.job_id
    where r.id = w.id and case
      when w.overlap = 'queue' then coalesce(u.n, 0) = 0 and w.place = 1
      when w.set_going_by = 'backfill' then coalesce(u.backfills, 0) = 0 and w.place_of_kind = 1
      else true end
    returning r.project_id`
  return [...new Set(rows.map(r => r.project_id))]
}
