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
 * Lines up the runs of a job that has just become a queue, each written once however many there are. What has begun goes
 * on. Of the rest the one that was made pending first is let go, unless something is under way; of the scheduled ones
 * that are left only the latest stays, and the others wait for their turn. What was only admitted gives its slot back,
 * and its task becomes an old one. The runs are locked already, by {@link lockNotBegun}.
 * @returns what to count, for the caller's admission
 */
export async function lineUp(sql: TransactionSql, jobId: string, now: Date): Promise<Tally> {
  const rows = await sql<(Counted & { n: number })[]>`
    with waiting as (
      select id, waits_for_turn as waited, trigger = 'schedule' and not put_back as may_go,
        row_number() over (order by pending_at, scheduled_for, id) = 1 and not exists (
          select from runs u where u.job_id = ${jobId} and u.finished_at is null and u.state = 'running') as is_first,
        scheduled_for
      from runs where job_id = ${jobId} and finished_at is null and state = 'pending'
    ), judged as (
      select id, waited, is_first, may_go and not is_first and row_number() over (
        partition by may_go and not is_first order by scheduled_for desc) > 1 as is_superseded
      from waiting
    ), moved as (
      update runs r set waits_for_turn = not is_first and not is_superseded, slot_host = null, admitted_at = null,
        task_number = task_number + case when waited then 0 else 1 end,
        due_at = case when not is_superseded then coalesce(due_at, ${now}) end,
        state = case when is_superseded then 'skipped' else state end,
        skip_reason = case when is_superseded then 'overlap' end,
        finished_at = case when is_superseded then ${now}::timestamptz end
      from judged j where r.id = j.id and (is_first or is_superseded or not waited)
      returning r.id, r.organization_id, r.project_id, r.step_count, is_superseded
    ), not_run as (
      update steps s set state = 'not_run' from moved m
      where is_superseded and step_count > 0 and s.run_id = m.id and s.state = 'pending'
    ), superseded as (
      select organization_id, project_id, count(*)::int as n from moved where is_superseded group by 1, 2
    ), counted as (
      update jobs set runs_skipped = runs_skipped + n from superseded where id = ${jobId}
    )
    select * from superseded`
  const tally = new Tally()
  for (const row of rows) for (let i = 0; i < row.n; i++) tally.run(row, 'skipped', 'overlap')
  return tally
}
