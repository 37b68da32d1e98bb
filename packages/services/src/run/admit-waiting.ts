import type { TransactionSql } from '@workly/db'
import { IMAGE_HOST } from '../job/stored-request.ts'
import type { LimitDefaults } from '../limits.ts'
import { Tally } from '../metrics/tally.ts'
import { deliverTask } from './deliver-task.ts'
import { type Bounds, callsInFlight, lockBounds, projectsThatWait } from './project-room.ts'

/**
 * Gives a slot and a task to each project's first waiting runs that fit its bounds on calls in flight: by hand first,
 * then everything else by due time, backfills last (spec section 5, bounds). Call it in the transaction of whatever
 * made a run due or freed a slot; it locks the projects, so its count of slots is the last word.
 *
 * Runs that another transaction has locked (a cancel, say) are passed over, which is what keeps the order of locks free
 * of circles; that transaction admits, or the rescuer does.
 * @param tally what the transaction counts, written while the projects are held
 * @returns how many were admitted
 */
export async function admitWaiting(
  sql: TransactionSql,
  limits: LimitDefaults,
  projectIds: Iterable<string>,
  now: Date,
  tally = new Tally(),
): Promise<number> {
  const ids = [...new Set([...projectIds, ...tally.projects()])].sort()
  if (ids.length === 0) return 0
  // One behind the other on the transaction's connection: whether anything waits is asked with the projects locked. Most
  // often nothing does, and then nothing has to be counted either.
  const [bounds, waiting] = await Promise.all([
    lockBounds(sql, limits, ids),
    projectsThatWait(sql, ids, now),
    tally.write(sql),
  ])
  return admitWithin(
    sql,
    bounds.filter(b => waiting.has(b.id)),
    now,
  )
}

/** The same within projects whose rows the caller has locked. */
export async function admitWithin(sql: TransactionSql, bounds: Bounds[], now: Date): Promise<number> {
  if (bounds.length === 0) return 0
  const ids = bounds.map(b => b.id)
  const [row] = await sql<{ admitted: number }[]>`
    with recursive bounds as (
      select * from unnest(${bounds.map(b => b.id)}::text[], ${bounds.map(b => b.total)}::int[],
        ${bounds.map(b => b.perHost)}::int[]) as b(project_id, total, per_host)
    ), taken as (
      ${callsInFlight(sql, ids)}
    ), room as (
      select b.project_id, b.per_host,
        b.total - coalesce((select sum(calls) from taken t where t.project_id = b.project_id), 0)::int as free
      from bounds b
    ), gone as materialized (
      -- What is left of the runs of deleted jobs is ended behind their deletion; they are few jobs, and for seconds.
      select id from jobs where deleted_at is not null and project_id = any(${ids})
    ), hosts as (
      -- One step of the index per host that has runs waiting, however many wait for it.
      select room.*, (
        select min(host) from runs r
        where r.project_id = room.project_id and r.due_at is not null and not r.waits_for_turn
      ) as host from room where free > 0
      union all
      select h.project_id, h.per_host, h.free, (
        select min(r.host) from runs r
        where r.project_id = h.project_id and r.due_at is not null and not r.waits_for_turn and r.host > h.host
      ) from hosts h where h.host is not null
    ), fitting as (
      select w.*, h.project_id, h.free, least(h.free, h.per_host - coalesce(t.calls, 0)) as host_free,
        row_number() over (partition by h.project_id, h.host order by w.admission_rank, w.due_at, w.id) as host_place
      from hosts h
      left join taken t on t.project_id = h.project_id and t.host = h.host
      cross join (values (0), (1), (2)) as rank(value)
      cross join lateral (
        select r.id, r.admission_rank, r.due_at from runs r
        where r.project_id = h.project_id and r.host = h.host and r.admission_rank = rank.value
          and r.due_at <= ${now} and not r.waits_for_turn and r.job_id not in (select id from gone)
          -- The same step's last container has to be gone first.
          and (h.host <> ${IMAGE_HOST} or not exists (
            select from container_handles g where g.run_id = r.id and g.gone_at is null and g.step = r.current_step))
        order by r.due_at, r.id
        limit greatest(least(h.free, h.per_host - coalesce(t.calls, 0)), 0)
        for no key update skip locked
      ) w
      where h.host is not null
    ), placed as (
      select id, free, row_number() over (partition by project_id order by admission_rank, due_at, id) as place
      from fitting where host_place <= host_free
    ), admitted as (
      update runs r
      set slot_host = r.host, admitted_at = ${now}, due_at = null, task_number = r.task_number + 1
      from placed p where r.id = p.id and p.place <= p.free
      returning r.id, r.task_number
    ), tasks as (
      select count(*)::int as n
      from (select array_agg(${deliverTask(sql)}) as specs from admitted having count(*) > 0) s
      cross join lateral graphile_worker.add_jobs(s.specs)
    )
    select n as admitted from tasks`
  return row?.admitted ?? 0
}
