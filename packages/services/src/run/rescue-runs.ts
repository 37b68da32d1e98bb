import type { TransactionSql } from '@workly/db'
import { readClock, type Services } from '../context.ts'
import { admitWaiting } from './admit-waiting.ts'
import { DELIVER_RUN, deliverTask } from './deliver-task.ts'
import { type LostAttempts, type LostCall, loseAttempts, openCallsOf } from './lose-attempts.ts'
import { releaseWaiting } from './release-waiting.ts'

/** A run admitted for longer than this whose task is missing or held by a dead worker is given a new one. */
const TASK_MISSING_AFTER_MS = 10_000
/**
 * How long a living worker may hold a task that it does not begin. It gives back what it cannot get to in half of that;
 * what is older it never heard of, since the connection broke that was to bring it the task.
 */
const HELD_AT_MOST_MS = 20_000

/** What one sweep did. */
export interface Rescue {
  deadWorkers: string[]
  lostAttempts: number
  newTasks: number
  admitted: number
}

async function buryWorkers(sql: TransactionSql, now: Date): Promise<{ id: string; pool_id: string }[]> {
  return sql<{ id: string; pool_id: string }[]>`
    update workers set lost_at = ${now}
    where id in (
      select id from workers where stopped_at is null and lost_at is null and lease_expires_at < ${now}
      for update skip locked)
    returning id, pool_id`
}

/**
 * Ends as lost what the buried workers had in flight, and whatever else is still open of a worker that is gone.
 * @returns the jobs and projects concerned
 */
async function takeOver(sql: TransactionSql, dead: string[], now: Date): Promise<LostAttempts> {
  const gone = await sql<{ id: string; stopped: boolean }[]>`
    select id, stopped_at is not null as stopped from workers
    where (lost_at is not null or stopped_at is not null)
      and id in (select worker_id from attempts where state = 'running')`
  const workers = new Map<string, LostCall['cause']>(dead.map(id => [id, 'death']))
  for (const { id, stopped } of gone) workers.set(id, stopped ? 'shutdown' : 'death')
  return loseAttempts(sql, await openCallsOf(sql, workers), now)
}

/**
 * New tasks for admitted runs that nobody is at: their task is gone, held by a pool without a living worker or by one
 * that has forgotten it, or put off by the queue itself, whose own waits after a failure grow to hours. An old task
 * that turns up after all begins nothing, since its number is an old one.
 */
async function renewTasks(sql: TransactionSql, now: Date): Promise<number> {
  const [row] = await sql<{ n: number }[]>`
    with forgotten as (
      select r.id from runs r
      where r.slot_host is not null and r.current_attempt_id is null
        and r.admitted_at < ${new Date(now.getTime() - TASK_MISSING_AFTER_MS)}
        and not exists (
          select from graphile_worker.jobs t
          where t.key = r.id and case
            when t.locked_by is null then t.attempts < t.max_attempts and t.run_at <= clock_timestamp()
            else t.locked_at > clock_timestamp() - ${HELD_AT_MOST_MS} * interval '1 millisecond' and t.locked_by in (
              select pool_id from workers where lost_at is null and stopped_at is null) end)
      order by r.id limit 5000 for no key update of r skip locked
    ), renewed as (
      update runs r set admitted_at = ${now}, task_number = task_number + 1
      from forgotten f where r.id = f.id returning r.id, r.task_number
    )
    select count(*)::int as n
    from (select array_agg(${deliverTask(sql)}) as specs from renewed having count(*) > 0) s
    cross join lateral graphile_worker.add_jobs(s.specs)`
  return row?.n ?? 0
}

/**
 * Removes tasks that have been locked for longer than any is held before its attempt is begun. From then on the run row
 * says what becomes of it, so of such a task nothing is left to do but to be removed; where the connection broke that
 * was to bring it, or that was to tell of its end, nobody would, and it would stay locked for hours.
 */
async function dropLocked(sql: TransactionSql): Promise<void> {
  await sql`
    delete from graphile_worker._private_jobs where id in (
      select id from graphile_worker._private_jobs
      where locked_at <= clock_timestamp() - ${HELD_AT_MOST_MS} * interval '1 millisecond'
        and task_id = (select id from graphile_worker._private_tasks where identifier = ${DELIVER_RUN})
      order by id for update skip locked)`
}

/** Whatever waits and could go: turns nobody gave, and runs long due within their bounds. */
async function admitLeftOver(sql: TransactionSql, services: Services, now: Date): Promise<number> {
  const waiting = await sql<{ job_id: string }[]>`
    select id as job_id from jobs where id in (select job_id from runs where waits_for_turn) and deleted_at is null
    order by id limit 5000 for no key update skip locked`
  await releaseWaiting(
    sql,
    waiting.map(w => w.job_id),
  )
  const due = await sql<{ project_id: string }[]>`
    select distinct project_id from runs where due_at <= ${now} and not waits_for_turn`
  return admitWaiting(
    sql,
    services.limits,
    due.map(d => d.project_id),
    now,
  )
}

/**
 * One sweep of the rescuer (spec section 5): takes over what dead workers held, gives new tasks where they are missing,
 * and admits what was left. Any number of workers may sweep at once.
 * @param mayBury false while this process itself has not reached the database for a whole lease: then an expired lease
 * may only mean that the database was away, and nobody is declared dead
 */
export async function rescueRuns(services: Services, mayBury: boolean): Promise<Rescue> {
  const taken = await services.sql.begin(async sql => {
    const now = await readClock(services, sql)
    const dead = mayBury ? await buryWorkers(sql, now) : []
    const lost = await takeOver(
      sql,
      dead.map(w => w.id),
      now,
    )
    if (dead.length === 0 && lost.lost === 0) return { dead: [], lost: 0 }
    // Tasks that the dead had fetched are for others again; those already begun carry an old number and do nothing.
    await sql`select graphile_worker.force_unlock_workers(${dead.map(w => w.pool_id)}::text[])`
    const released = await releaseWaiting(sql, lost.jobs)
    await admitWaiting(sql, services.limits, [...lost.projects, ...released], now, lost.tally)
    return { dead: dead.map(w => w.id), lost: lost.lost }
  })
  return services.sql.begin(async sql => {
    const now = await readClock(services, sql)
    const newTasks = await renewTasks(sql, now)
    await dropLocked(sql)
    const admitted = await admitLeftOver(sql, services, now)
    return { deadWorkers: taken.dead, lostAttempts: taken.lost, newTasks, admitted }
  })
}
