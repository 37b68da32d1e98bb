import { againAfterDeadlock } from '@workly/db'
import { callbackToken } from '../callback/callback-token.ts'
import { freshId, type Services } from '../context.ts'
import { IMAGE_HOST, type StoredTarget } from '../job/stored-request.ts'
import { livingWorker } from '../worker/living-worker.ts'

/** A task's wish to begin the next attempt of a run. */
export interface WantedAttempt {
  runId: string
  /** The run's `task_number` when the task was made; an old task begins nothing. */
  taskNumber: number
}

/** An attempt that is committed and may now call its target. */
export interface BegunAttempt {
  attempt_id: string
  /** Fencing token: whoever does not hold it has its result refused. */
  fence: number
  /** Counted per run and step. */
  number: number
  run_id: string
  /** The step of a pipeline; null otherwise. */
  step_id: string | null
  /** That of the task that began it. */
  task_number: number
  organization_id: string
  project_id: string
  job_id: string
  job_name: string
  scheduled_for: Date
  /** What to do: of a pipeline, the step's. */
  request: StoredTarget
}

/**
 * Begins the next attempt of each run (of a pipeline, of the step it is at) whose task is the current one and whose slot
 * is held, in one statement for the whole batch. It is committed before the first byte goes out, so a crash can repeat a
 * call but never lose one.
 *
 * Runs whose target is an image are passed over: those are begun by `beginContainers`.
 *
 * A worker whose lease has run out begins nothing. Its row is held against a rescuer until this commits: a rescuer that
 * buried it meanwhile would not see the attempt, and nobody would take it over.
 * @param now the worker's reading of the database's clock
 */
export async function beginAttempts(
  services: Services,
  workerId: string,
  wanted: WantedAttempt[],
  now: Date,
): Promise<BegunAttempt[]> {
  const { sql, encryption } = services
  const ids = wanted.map(() => freshId('attempt', now))
  const tokens = ids.map(id => callbackToken(encryption, id))
  // As a transaction of its own it is rolled back whole.
  return againAfterDeadlock(
    () => sql<BegunAttempt[]>`
    with wanted as (
      select * from unnest(${wanted.map(w => w.runId)}::text[], ${wanted.map(w => w.taskNumber)}::int[], ${ids}::text[],
        ${tokens.map(t => t.hash.toString('hex'))}::text[], ${tokens.map(t => t.keyId)}::text[])
        as w(run_id, task_number, attempt_id, token_hash, key_id)
      order by run_id
    ), alive as materialized (
      ${livingWorker(services, sql, workerId)}
    ), ready as (
      select w.*, j.name as job_name from alive
      cross join wanted w
      -- Everything by its id, the runs in their order, whatever the planner takes the tables to hold: this plan is kept,
      -- and one that goes through all slots instead (as a condition on slot_host would let it) or all requests costs
      -- more with each of them.
      cross join lateral (
        select r.job_id from runs r
        where r.id = w.run_id and r.task_number = w.task_number and r.state in ('pending', 'running')
          and coalesce(r.slot_host, ${IMAGE_HOST}) <> ${IMAGE_HOST} and r.current_attempt_id is null
        for no key update
      ) r
      cross join lateral (select name from jobs where id = r.job_id and deleted_at is null limit 1) j
    ), begun as (
      update runs r set state = 'running', started_at = coalesce(r.started_at, ${now}), next_attempt_at = null,
        current_attempt_id = ready.attempt_id, attempts_made = r.attempts_made + 1
      from ready where r.id = ready.run_id and r.id = any(${wanted.map(w => w.runId)})
      returning r.*, ready.job_name, ready.token_hash, ready.key_id
    ), called as materialized (
      select b.*, nextval('attempt_fence') as fence,
        case when b.step_count > 0 then v.request->'steps'->b.current_step->>'id' else '' end as step_id,
        case when b.step_count > 0 then v.request->'steps'->b.current_step else v.request end as request
      from begun b
      cross join lateral (select request from request_versions where id = b.request_version_id limit 1) v
    ), made as (
      insert into attempts (id, organization_id, run_id, step_id, number, state, worker_id, fence, started_at)
      select current_attempt_id, organization_id, id, step_id, attempts_made, 'running', ${workerId}, fence, ${now}
      from called
    ), stepped as (
      update steps s set state = 'running', started_at = coalesce(s.started_at, ${now}), attempts_made = c.attempts_made
      from called c where c.step_count > 0 and s.run_id = c.id and s.position = c.current_step
    ), tokens as (
      insert into callback_tokens (attempt_id, organization_id, token_hash, server_key_id, created_at)
      select current_attempt_id, organization_id, decode(token_hash, 'hex'), key_id, ${now}
      from called where request->'response' ? 'callback'
    )
    select current_attempt_id as attempt_id, fence, attempts_made as number, id as run_id, task_number,
      nullif(step_id, '') as step_id, organization_id, project_id, job_id, job_name, scheduled_for, request
    from called`,
  )
}
