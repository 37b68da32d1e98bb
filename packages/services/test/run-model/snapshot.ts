import type { RetrySettings, RunState, SetGoingBy, StepState } from '@workly/core'
import type { Sql } from '@workly/db'
import { IMAGE_HOST } from '../../src/job/stored-request.ts'

/** A run's row; instants are milliseconds. */
export interface RunRow {
  id: string
  job_id: string
  state: RunState
  skip_reason: string | null
  trigger: string
  set_going_by: SetGoingBy
  put_back: boolean
  scheduled_for: number
  pending_at: number
  due_at: number | null
  finished_at: number | null
  next_attempt_at: number | null
  waits_for_turn: boolean
  host: string
  slot_host: string | null
  admitted_at: number | null
  task_number: number
  current_attempt_id: string | null
  /** Of a pipeline; 0 otherwise. */
  step_count: number
  current_step: number
  attempts_made: number
  attempts_counted: number
  lost_in_a_row: number
}

/** A step of a pipeline's run. */
export interface StepRow {
  run_id: string
  position: number
  step_id: string
  state: StepState
  host: string
  attempts_made: number
  finished_at: number | null
  error_class: string | null
}

export interface AttemptRow {
  id: string
  run_id: string
  /** Empty but for a pipeline's. */
  step_id: string
  number: number
  state: string
  worker_id: string
  late_result: object | null
}

/** The handle of a container. */
export interface HandleRow {
  id: string
  run_id: string
  attempt_id: string
  step: number
  worker_id: string | null
  started_at: number | null
  removing_since: string | null
  gone_at: number | null
}

export interface JobRow {
  id: string
  name: string
  state: 'active' | 'paused' | 'completed'
  overlap: 'skip' | 'queue' | 'allow'
  missed: 'skip' | 'catch_up'
  max_attempts: number
  min_backoff_seconds: number
  max_backoff_seconds: number
  next_run_at: number | null
  deleted_at: number | null
  cron: string
  /** Of a pipeline; null otherwise. */
  steps: { id: string; retry?: Partial<RetrySettings> }[] | null
  runs_succeeded: number
  runs_failed: number
  runs_cancelled: number
  runs_skipped: number
}

export interface TaskRow {
  run_id: string
  number: number
  locked_by: string | null
  usable: boolean
}

export interface WorkerRow {
  id: string
  pool_id: string
  lease_expires_at: number
  stopped_at: number | null
  lost_at: number | null
}

/** What the database holds of a project at one moment. */
export interface Snapshot {
  runs: Map<string, RunRow>
  /** By run, in order. */
  steps: Map<string, StepRow[]>
  attempts: Map<string, AttemptRow>
  handles: Map<string, HandleRow>
  jobs: Map<string, JobRow>
  tasks: TaskRow[]
  workers: Map<string, WorkerRow>
}

const byId = <T extends { id: string }>(rows: T[]) => new Map(rows.map(row => [row.id, row]))

/** Instants in milliseconds, all other values as they are. */
function inMilliseconds<T>(rows: object[] | null): T[] {
  return (rows ?? []).map(
    row =>
      Object.fromEntries(
        Object.entries(row).map(([key, value]) => [
          key,
          typeof value === 'string' && /(_at|_for)$/.test(key) ? Date.parse(value) : value,
        ]),
      ) as T,
  )
}

/** Reads everything in one statement, so that all of it is of one moment. */
export async function takeSnapshot(sql: Sql, projectId: string): Promise<Snapshot> {
  const [row] = await sql<
    Record<'runs' | 'steps' | 'attempts' | 'handles' | 'jobs' | 'tasks' | 'workers', object[] | null>[]
  >`
    select (select json_agg(r) from runs r where project_id = ${projectId}) as runs,
      (select json_agg(s order by s.position) from steps s join runs r on r.id = s.run_id
        where r.project_id = ${projectId}) as steps,
      (select json_agg(a) from (select a.id, a.run_id, a.step_id, a.number, a.state, a.worker_id, a.late_result
        from attempts a join runs r on r.id = a.run_id where r.project_id = ${projectId}) a) as attempts,
      (select json_agg(h) from container_handles h where project_id = ${projectId}) as handles,
      (select json_agg(j) from (select j.*, s.cron, v.request->'steps' as steps from jobs j
        join schedule_versions s on s.id = j.schedule_version_id join request_versions v on v.id = j.request_version_id
        where j.project_id = ${projectId}) j) as jobs,
      (select json_agg(t) from (select payload ->> 'run' as run_id, (payload ->> 'number')::int as number, locked_by,
        key is not null and attempts < max_attempts as usable from graphile_worker._private_jobs) t) as tasks,
      (select json_agg(w) from workers w) as workers`
  if (!row) throw new Error('no snapshot')
  return {
    runs: byId(inMilliseconds<RunRow>(row.runs)),
    steps: Map.groupBy(inMilliseconds<StepRow>(row.steps), step => step.run_id),
    attempts: byId(inMilliseconds<AttemptRow>(row.attempts)),
    handles: byId(inMilliseconds<HandleRow>(row.handles)),
    jobs: byId(inMilliseconds<JobRow>(row.jobs)),
    tasks: inMilliseconds<TaskRow>(row.tasks),
    workers: byId(inMilliseconds<WorkerRow>(row.workers)),
  }
}

export const isOpen = (run: RunRow) => run.state === 'pending' || run.state === 'running'

/** Containers that are there. */
export function liveHandles(snapshot: Snapshot): HandleRow[] {
  return [...snapshot.handles.values()].filter(handle => handle.gone_at === null)
}

/** Whether the next attempt of a run has to wait until the container of the one before is gone. */
export function waitsForContainer(snapshot: Snapshot, run: RunRow): boolean {
  return (
    run.host === IMAGE_HOST &&
    liveHandles(snapshot).some(handle => handle.run_id === run.id && handle.step === run.current_step)
  )
}

/** What is in flight, by host: calls that hold a slot, and containers. */
export function inFlight(snapshot: Snapshot): string[] {
  const calls = [...snapshot.runs.values()].flatMap(run => run.slot_host ?? [])
  return [...calls, ...liveHandles(snapshot).map(() => IMAGE_HOST)]
}

export function openRuns(snapshot: Snapshot, jobId: string): RunRow[] {
  return [...snapshot.runs.values()].filter(run => run.job_id === jobId && isOpen(run))
}
