import type { Sql } from '@workly/db'

/**
 * Everything that the fault tests read of Workly's own tables, and of graphile-worker's. The API would show the same,
 * run by run; after thousands of runs only SQL is quick enough. Nothing else in `e2e/` knows a table.
 */

/** A run as its row has it. */
export interface SeenRun {
  id: string
  job: string
  trigger: string
  scheduled_for: Date
  state: string
  error_class: string | null
  started_at: Date | null
  finished_at: Date | null
}

/** An attempt as its row has it. */
export interface SeenAttempt {
  run_id: string
  step_id: string
  number: number
  state: string
  error_class: string | null
  started_at: Date
  finished_at: Date | null
  response_status: number | null
  late: boolean
}

/** Within which every second of a job's has its run: (from, to]. */
export interface Span {
  job: string
  created_at: Date
  paused_at: Date | null
}

/** How the queue looks at one moment. */
export interface QueueLook {
  /** Runs that were admitted, are at no attempt and have no task: nobody would ever begin them. */
  without_task: number
  /** Of those, admitted longer ago than the sweep may leave them. */
  long_without_task: number
  /** Tasks that a worker has locked. */
  locked: number
  /** Of the longest locked task, in milliseconds. */
  oldest_lock_ms: number
  /** Runs that have not ended. */
  open: number
}

/** A task that is missing is given anew after 10 s, by a sweep every 3 s. */
const WITHOUT_TASK_AT_MOST_MS = 16_000

/**
 * From now on the database writes down every change of a run or an attempt that had ended: of its state, its end, or
 * what it ended with.
 */
export async function watchTerminalStates(sql: Sql): Promise<void> {
  await sql.unsafe(`
    create schema faults;
    create table faults.changes (
      id bigserial primary key, what text, row_id text, was jsonb, became jsonb, at timestamptz default clock_timestamp());
    create function faults.write_down() returns trigger language plpgsql as $$
    begin
      insert into faults.changes (what, row_id, was, became) values (tg_table_name, old.id, to_jsonb(old), to_jsonb(new));
      return null;
    end $$;
    create trigger faults_runs after update on runs for each row
      when (old.state in ('succeeded', 'failed', 'cancelled', 'skipped')
        and (old.state, old.finished_at, old.error_class, old.error_message, old.skip_reason)
          is distinct from (new.state, new.finished_at, new.error_class, new.error_message, new.skip_reason))
      execute function faults.write_down();
    create trigger faults_attempts after update on attempts for each row
      when (old.state in ('succeeded', 'failed', 'lost', 'cancelled')
        and (old.state, old.finished_at, old.error_class, old.error_message, old.response_status)
          is distinct from (new.state, new.finished_at, new.error_class, new.error_message, new.response_status))
      execute function faults.write_down();`)
}

/** What was changed after its end, by {@link watchTerminalStates}. */
export function changesAfterEnd(sql: Sql): Promise<{ what: string; row_id: string }[]> {
  return sql`select what, row_id, was, became from faults.changes order by id limit 20`
}

export function runsOf(sql: Sql, jobs: string[], projectId: string): Promise<SeenRun[]> {
  return sql`
    select r.id, j.name as job, r.trigger, r.scheduled_for, r.state, r.error_class, r.started_at, r.finished_at
    from runs r join jobs j on j.id = r.job_id
    where j.project_id = ${projectId} and j.name = any(${jobs}) order by j.name, r.scheduled_for`
}

export function attemptsOf(sql: Sql, jobs: string[], projectId: string): Promise<SeenAttempt[]> {
  return sql`
    select a.run_id, a.step_id, a.number, a.state, a.error_class, a.started_at, a.finished_at, a.response_status,
      a.late_result is not null as late
    from attempts a join runs r on r.id = a.run_id join jobs j on j.id = r.job_id
    where j.project_id = ${projectId} and j.name = any(${jobs}) order by a.run_id, a.step_id, a.number`
}

export function spansOf(sql: Sql, jobs: string[], projectId: string): Promise<Span[]> {
  return sql`
    select j.name as job, j.created_at, (select max(paused_at) from pause_intervals p where p.job_id = j.id) as paused_at
    from jobs j where j.project_id = ${projectId} and j.name = any(${jobs})`
}

/** How many runs of these jobs have not ended. */
export async function openRuns(sql: Sql, jobs: string[], projectId: string): Promise<number> {
  const [row] = await sql<{ n: number }[]>`
    select count(*)::int as n from runs r join jobs j on j.id = r.job_id
    where j.project_id = ${projectId} and j.name = any(${jobs}) and r.state in ('pending', 'running')`
  return row?.n ?? 0
}

/** One look at the queue, in one snapshot. */
export async function lookAtQueue(sql: Sql): Promise<QueueLook> {
  const [row] = await sql<QueueLook[]>`
    with bare as (
      select r.admitted_at from runs r
      where r.slot_host is not null and r.current_attempt_id is null and r.state in ('pending', 'running')
        and not exists (select from graphile_worker.jobs t where t.key = r.id)
    )
    select (select count(*)::int from bare) as without_task,
      (select count(*)::int from bare
        where admitted_at < clock_timestamp() - ${WITHOUT_TASK_AT_MOST_MS} * interval '1 millisecond') as long_without_task,
      (select count(*)::int from runs where state in ('pending', 'running')) as open,
      count(*)::int as locked,
      coalesce(max(extract(epoch from clock_timestamp() - locked_at) * 1000), 0)::float8 as oldest_lock_ms
    from graphile_worker.jobs where locked_by is not null`
  if (!row) throw new Error('the queue was not shown')
  return row
}

/**
 * Gives a job so many runs that are due, as if it had fallen behind: each as the engine itself inserts one that waits
 * for a slot, at milliseconds of its own in the past.
 */
export async function addPendingRuns(sql: Sql, job: string, projectId: string, count: number): Promise<void> {
  await sql`
    insert into runs (id, organization_id, project_id, job_id, request_version_id, trigger, scheduled_for, state,
      created_at, set_going_by, pending_at, due_at, host)
    select 'run_' || lpad(n::text, 26, '0'), j.organization_id, j.project_id, j.id, j.request_version_id, 'schedule',
      date_trunc('milliseconds', now()) - n * interval '1 millisecond', 'pending', clock_timestamp(),
      'schedule', clock_timestamp(), clock_timestamp(), v.host
    from jobs j join request_versions v on v.id = j.request_version_id
    cross join generate_series(${(count * 7) % 1_000_003}::int, ${((count * 7) % 1_000_003) + count - 1}::int) n
    where j.project_id = ${projectId} and j.name = ${job}`
}

/** The process that makes an attempt of a run. */
export async function workerAt(sql: Sql, runId: string): Promise<number | undefined> {
  const [row] = await sql<{ pid: number }[]>`
    select w.pid from attempts a join workers w on w.id = a.worker_id
    where a.run_id = ${runId} and a.state = 'running' order by a.number desc limit 1`
  return row?.pid
}

/** The id of the attempt that a run is at. */
export async function openAttemptOf(sql: Sql, runId: string): Promise<string | undefined> {
  const [row] = await sql<{ id: string }[]>`
    select id from attempts where run_id = ${runId} and state in ('running', 'waiting')`
  return row?.id
}

/** Ends the connections that listen for notices. @returns how many there were */
export async function endListeners(sql: Sql): Promise<number> {
  const rows = await sql<{ ended: boolean }[]>`
    select pg_terminate_backend(pid) as ended from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() and query ~* '^\\s*listen '`
  return rows.filter(row => row.ended).length
}

/** The database's clock, in milliseconds since the epoch. */
export async function databaseNow(sql: Sql): Promise<number> {
  const [row] = await sql<{ now: Date }[]>`select clock_timestamp() as now`
  return row?.now.getTime() ?? Number.NaN
}
