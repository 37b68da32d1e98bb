import type { Services } from '../context.ts'
import { KEY_KEPT_MS } from '../idempotency/with-idempotency-key.ts'

const ROWS_PER_BATCH = 1_000
/** How long the rows of workers that are gone are kept, for whoever looks into what happened. */
const WORKERS_KEPT_MS = 86_400_000

/** Removes idempotency keys that are no longer remembered (spec section 8). Yields after each batch how many went. */
export async function* clearIdempotencyKeys(services: Services, now: Date): AsyncGenerator<number> {
  const before = new Date(now.getTime() - KEY_KEPT_MS)
  let removed: number
  do {
    const { count } = await services.sql`
      delete from idempotency_keys where (project_id, method, path, key) in (
        select project_id, method, path, key from idempotency_keys where created_at < ${before}
        order by created_at limit ${ROWS_PER_BATCH} for update skip locked)`
    removed = count
    yield removed
  } while (removed === ROWS_PER_BATCH)
}

/** Removes sign-in tokens that are past their time. @returns how many */
export async function clearSignInTokens(services: Services, now: Date): Promise<number> {
  return (await services.sql`delete from sign_in_tokens where expires < ${now}`).count
}

/** Removes workers that have been gone for a day and that no open attempt refers to. @returns how many */
export async function clearWorkers(services: Services, now: Date): Promise<number> {
  const before = new Date(now.getTime() - WORKERS_KEPT_MS)
  const { count } = await services.sql`
    delete from workers w
    where coalesce(stopped_at, lost_at) < ${before}
      and not exists (select from attempts a where a.worker_id = w.id and a.state in ('running', 'waiting'))`
  return count
}

/**
 * Removes tasks that graphile-worker has given up; a run whose task is gone is given a new one by the rescuer.
 * @returns how many
 */
export async function clearFailedTasks(services: Services): Promise<number> {
  const { count } = await services.sql`
    delete from graphile_worker._private_jobs where id in (
      select id from graphile_worker._private_jobs where attempts >= max_attempts and locked_at is null
      for update skip locked)`
  return count
}

/** Removes handles of containers that are gone and whose attempts are removed. @returns how many */
export async function clearContainerHandles(services: Services): Promise<number> {
  const { count } = await services.sql`
    delete from container_handles h
    where gone_at is not null and not exists (select from attempts a where a.id = h.attempt_id)`
  return count
}
