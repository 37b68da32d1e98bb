import { clockWithin, freshId, readClock, type Services } from '../context.ts'

/** How long a worker's lease lasts, and how often it is renewed (spec section 5). */
export const LEASE_MS = 15_000
export const RENEW_EVERY_MS = 5_000

export interface WorkerIdentity {
  /** The pool of graphile-worker whose name stands on the tasks it locks. */
  poolId: string
  host: string
  pid: number
  version: string
}

/** Enters a worker with its first lease. @returns its id */
export async function registerWorker(services: Services, identity: WorkerIdentity): Promise<string> {
  const { sql } = services
  const now = await readClock(services, sql)
  const id = freshId('worker', now)
  await sql`
    insert into workers (id, pool_id, host, pid, version, started_at, lease_expires_at)
    values (${id}, ${identity.poolId}, ${identity.host}, ${identity.pid}, ${identity.version}, ${now},
      ${now}::timestamptz + ${LEASE_MS} * interval '1 millisecond')`
  return id
}

/** What a renewal says. */
export interface Renewal {
  /** False: a rescuer has taken this worker for dead. It must take nothing new, and start again under a new id. */
  alive: boolean
  /** The database's clock while it was renewed. */
  now: Date
}

/** Renews the lease; the database's clock in the answer is what the worker derives its time from. */
export async function renewLease(services: Services, workerId: string): Promise<Renewal> {
  const { sql } = services
  const clock = clockWithin(services, sql)
  const [row] = await sql<{ alive: boolean; now: Date }[]>`
    with renewed as (
      update workers set lease_expires_at = ${clock} + ${LEASE_MS} * interval '1 millisecond'
      where id = ${workerId} and lost_at is null and stopped_at is null returning id
    )
    select exists (select from renewed) as alive, ${clock} as now`
  if (!row) throw new Error('the database did not answer the renewal')
  return row
}
