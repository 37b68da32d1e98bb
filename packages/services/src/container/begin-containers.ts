import type { TransactionSql } from '@workly/db'
import type { WantedAttempt } from '../attempt/begin-attempts.ts'
import { callbackToken } from '../callback/callback-token.ts'
import { freshId, type Services } from '../context.ts'
import { IMAGE_HOST, type StoredImage } from '../job/stored-request.ts'
import { startDelayMs } from '../metrics/start-delay.ts'
import { type Counted, Tally } from '../metrics/tally.ts'
import { admitWaiting } from '../run/admit-waiting.ts'
import { livingWorker } from '../worker/living-worker.ts'
import type { PlaceOf, WatchedContainer } from './watched-container.ts'

interface BegunRow extends Counted {
  attempt_id: string
  run_id: string
  job_id: string
  step: number
  step_id: string | null
  task_number: number
  request: StoredImage
  callback_key_id: string
  start_delay_ms: number | null
}

/** A container whose attempt has begun, and the task that it was begun by. */
export interface BegunContainer extends WatchedContainer {
  task_number: number
}

/**
 * Begins the attempts of runs whose present target is an image, as {@link beginAttempts} does for calls: the attempt, the
 * token of its callback and the container's handle are committed before the executor is asked for anything, so that
 * whoever takes it over finds the same container and none is started twice.
 *
 * The attempt waits from its beginning on: no worker holds it, so none can lose it. The slot of the run passes to the
 * handle, which counts in the project's bounds until the container is gone (spec section 5, "Bounds").
 * @param now the worker's reading of the database's clock
 */
export async function beginContainers(
  services: Services,
  workerId: string,
  wanted: WantedAttempt[],
  placeOf: PlaceOf,
  now: Date,
): Promise<BegunContainer[]> {
  return services.sql.begin(async sql => {
    const rows = await beginRows(sql, services, workerId, wanted, now)
    if (rows.length === 0) return []
    const containers = rows.map(row => watched(row, placeOf, now))
    await insertHandles(sql, workerId, rows, containers, now)
    const tally = new Tally()
    for (const row of rows) tally.took(row, 'start_delay', row.start_delay_ms)
    await admitWaiting(sql, services.limits, [], now, tally)
    return containers
  })
}

function watched(row: BegunRow, placeOf: PlaceOf, now: Date): BegunContainer {
  return {
    handle_id: freshId('containerHandle', now),
    organization_id: row.organization_id,
    project_id: row.project_id,
    run_id: row.run_id,
    attempt_id: row.attempt_id,
    step_id: row.step_id,
    task_number: row.task_number,
    place: placeOf({ organizationId: row.organization_id, attemptId: row.attempt_id }),
    request: row.request,
    callback_key_id: row.callback_key_id,
    is_started: false,
    is_removing: false,
  }
}

async function beginRows(
  sql: TransactionSql,
  services: Services,
  workerId: string,
  wanted: WantedAttempt[],
  now: Date,
): Promise<BegunRow[]> {
  const ids = wanted.map(() => freshId('attempt', now))
  const tokens = ids.map(id => callbackToken(services.encryption, id))
  return sql<BegunRow[]>`
    with wanted as (
      select * from unnest(${wanted.map(w => w.runId)}::text[], ${wanted.map(w => w.taskNumber)}::int[], ${ids}::text[],
        ${tokens.map(t => t.hash.toString('hex'))}::text[], ${tokens.map(t => t.keyId)}::text[])
        as w(run_id, task_number, attempt_id, token_hash, key_id)
      order by run_id
    ), alive as materialized (
      ${livingWorker(services, sql, workerId)}
    ), ready as (
      select r.id, w.attempt_id from alive
      cross join wanted w
      -- By their ids, as calls are begun: see begin-attempts.ts.
      cross join lateral (
        select r.id, r.job_id from runs r
        where r.id = w.run_id and r.task_number = w.task_number and r.state in ('pending', 'running')
          and coalesce(r.slot_host, '') = ${IMAGE_HOST} and r.current_attempt_id is null
        for no key update
      ) r
      cross join lateral (select id from jobs where id = r.job_id and deleted_at is null limit 1) j
    ), begun as (
      update runs r set state = 'running', started_at = coalesce(r.started_at, ${now}), next_attempt_at = null,
        current_attempt_id = ready.attempt_id, attempts_made = r.attempts_made + 1, slot_host = null, admitted_at = null
      from ready where r.id = ready.id
      returning r.*
    ), called as materialized (
      select b.*, case when b.step_count > 0 then v.request->'steps'->b.current_step->>'id' else '' end as step_id,
        case when b.step_count > 0 then v.request->'steps'->b.current_step else v.request end as request
      from begun b join request_versions v on v.id = b.request_version_id
    ), made as (
      insert into attempts (id, organization_id, run_id, step_id, number, state, fence, started_at)
      select current_attempt_id, organization_id, id, step_id, attempts_made, 'waiting', nextval('attempt_fence'),
        ${now} from called
      returning id, number, started_at
    ), stepped as (
      update steps s set state = 'running', started_at = coalesce(s.started_at, ${now}), attempts_made = c.attempts_made
      from called c where c.step_count > 0 and s.run_id = c.id and s.position = c.current_step
    ), tokens as (
      insert into callback_tokens (attempt_id, organization_id, token_hash, server_key_id, created_at)
      select c.current_attempt_id, c.organization_id, decode(w.token_hash, 'hex'), w.key_id, ${now}
      from called c join wanted w on w.attempt_id = c.current_attempt_id
    )
    select a.id as attempt_id, r.id as run_id, r.organization_id, r.project_id, r.job_id, r.task_number,
      r.current_step as step, nullif(r.step_id, '') as step_id, r.request, w.key_id as callback_key_id,
      ${startDelayMs(sql)} as start_delay_ms
    from called r join made a on a.id = r.current_attempt_id join wanted w on w.attempt_id = a.id`
}

async function insertHandles(
  sql: TransactionSql,
  workerId: string,
  rows: BegunRow[],
  containers: BegunContainer[],
  now: Date,
): Promise<void> {
  const records = containers.map(({ handle_id, place }, i) => {
    const { organization_id, project_id, job_id, run_id, attempt_id, step, request } = rows[i] as BegunRow
    const deadline_at = new Date(now.getTime() + request.timeout_seconds * 1000)
    const whose = { organization_id, project_id, job_id, run_id, attempt_id, step }
    return { id: handle_id, ...whose, ...place, worker_id: workerId, created_at: now, deadline_at }
  })
  await sql`insert into container_handles ${sql(records)}`
}
