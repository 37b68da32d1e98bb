import { clockWithin, readClock, type Services } from '../context.ts'
import type { StoredImage } from '../job/stored-request.ts'
import type { ContainerPlace, WatchedContainer } from './watched-container.ts'

/** A container whose begin was answered after so long never will be: its worker has not heard of it. */
const ANSWERED_WITHIN_MS = 20_000
/** After so long without a watcher that has its executor, whoever is there ends its attempt and says why. */
const FOREIGN_AFTER_MS = 120_000

export interface Adopter {
  workerId: string
  /** What its executor's containers are called; null: it has none. */
  executor: ContainerPlace['executor'] | null
  /** Handles that it watches. */
  held: string[]
}

interface AdoptedRow extends Omit<WatchedContainer, 'place'>, ContainerPlace {
  request: StoredImage | null
}

/**
 * Takes over containers that nobody watches: of workers that have stopped or died, and those that the adopter itself was
 * given without hearing of it. The attempts go on; nothing is started twice (spec section 5, "Delivery").
 * @returns at most `limit`
 */
export async function adoptContainers(
  services: Services,
  { workerId, executor, held }: Adopter,
  limit: number,
): Promise<WatchedContainer[]> {
  return services.sql.begin(async sql => {
    const alive = await sql`
      select id from workers where id = ${workerId} and lost_at is null and stopped_at is null
        and lease_expires_at > ${clockWithin(services, sql)} for key share`
    if (alive.length === 0) return []
    const now = await readClock(services, sql)
    const ago = (ms: number) => new Date(now.getTime() - ms)
    const rows = await sql<AdoptedRow[]>`
      with orphans as (
        select h.id from container_handles h left join workers w on w.id = h.worker_id
        where h.gone_at is null and case
          when h.worker_id = ${workerId} then h.id <> all(${held}) and h.created_at < ${ago(ANSWERED_WITHIN_MS)}
          else w.id is null or least(w.stopped_at, w.lost_at) <=
            case when h.executor = ${executor ?? ''} then ${now} else ${ago(FOREIGN_AFTER_MS)} end end
        order by h.created_at limit ${limit} for no key update of h skip locked
      ), adopted as (
        update container_handles h set worker_id = ${workerId} from orphans o where h.id = o.id returning h.*
      )
      select h.id as handle_id, h.organization_id, h.project_id, h.run_id, h.attempt_id, nullif(a.step_id, '') as step_id,
        h.executor, h.namespace, h.name, t.server_key_id as callback_key_id, h.started_at is not null as is_started,
        h.removing_since is not null or a.id is null as is_removing,
        case when r.step_count > 0 then v.request->'steps'->h.step else v.request end as request
      from adopted h left join attempts a on a.id = h.attempt_id left join runs r on r.id = a.run_id
      left join request_versions v on v.id = r.request_version_id
      left join callback_tokens t on t.attempt_id = h.attempt_id`
    return rows.map(({ executor: kind, namespace, name, ...rest }) => ({
      ...rest,
      place: { executor: kind, namespace, name },
    }))
  })
}
