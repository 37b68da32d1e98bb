import type { TransactionSql } from '@workly/db'
import { IMAGE_HOST } from '../job/stored-request.ts'
import { effectiveLimits, type LimitDefaults } from '../limits.ts'

/** A project's bounds on calls in flight, read under its lock. */
export interface Bounds {
  id: string
  total: number
  perHost: number
}

/** What is left of a project's bounds. */
export interface Room {
  /** More calls that the project may have in flight. */
  free: number
  /** Calls that one host may have in flight. */
  perHost: number
  /** Those that are, by host. */
  taken: ReadonlyMap<string, number>
  /** Runs are due and wait for a slot already: nothing new may overtake them. */
  hasWaiting: boolean
}

/**
 * Locks the projects, in the order of their ids so that two never wait for each other, and reads their bounds.
 * Jobs, runs and attempts are locked before projects, everywhere; counters after them.
 */
export async function lockBounds(
  sql: TransactionSql,
  limits: LimitDefaults,
  projectIds: string[],
): Promise<Bounds[]> {
  const rows = await sql<{ id: string; own: unknown; organization: unknown }[]>`
    select p.id, p.limits as own, o.limits as organization
    from projects p join organizations o on o.id = p.organization_id
    where p.id = any(${projectIds}) order by p.id for no key update of p`
  return rows.map(row => {
    const effective = effectiveLimits(limits, row.organization, row.own)
    return { id: row.id, total: effective.project_calls_in_flight, perHost: effective.host_calls_in_flight }
  })
}

/** Which of these projects, whose rows are locked, have runs that are due and wait for a slot: a look at three places of
 * an index for each. */
export async function projectsThatWait(
  sql: TransactionSql,
  projectIds: string[],
  now: Date,
): Promise<Set<string>> {
  if (projectIds.length === 0) return new Set()
  const rows = await sql<{ id: string }[]>`
    select distinct p.id from unnest(${projectIds}::text[]) as p(id)
    cross join (values (0::smallint), (1::smallint), (2::smallint)) as rank(value)
    cross join lateral (
      select r.due_at from runs r
      where r.project_id = p.id and r.admission_rank = rank.value and r.due_at is not null and not r.waits_for_turn
      order by r.due_at, r.id limit 1) first
    where first.due_at <= ${now}`
  return new Set(rows.map(row => row.id))
}

/**
 * A query for what counts in the bounds of these projects, as `project_id`, `host`, `calls`: the slots of runs, and
 * containers until they are gone, whatever has become of their runs (spec section 5, bounds).
 */
export const callsInFlight = (sql: TransactionSql, projectIds: string[]) => sql`
  select project_id, host, sum(calls)::int as calls from (
    select project_id, slot_host as host, count(*) as calls from runs
    where project_id = any(${projectIds}) and slot_host is not null group by 1, 2
    union all
    select project_id, ${IMAGE_HOST}, count(*) from container_handles
    where project_id = any(${projectIds}) and gone_at is null group by 1
  ) in_flight group by 1, 2`

/** What is left of the bounds of these projects, whose rows are locked, so that nobody takes it meanwhile. */
export async function readRooms(
  sql: TransactionSql,
  bounds: Bounds[],
  now: Date,
): Promise<Map<string, Room>> {
  const ids = bounds.map(b => b.id)
  const waiting = await projectsThatWait(sql, ids, now)
  const rows = await sql<{ project_id: string; host: string; calls: number }[]>`${callsInFlight(sql, ids)}`
  const taken = new Map(ids.map(id => [id, new Map<string, number>()]))
  for (const { project_id, host, calls } of rows) taken.get(project_id)?.set(host, calls)
  return new Map(
    bounds.map(({ id, total, perHost }) => {
      const hosts = taken.get(id) ?? new Map<string, number>()
      const calls = [...hosts.values()].reduce((sum, n) => sum + n, 0)
      return [id, { free: total - calls, perHost, taken: hosts, hasWaiting: waiting.has(id) }]
    }),
  )
}
