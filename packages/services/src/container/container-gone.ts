import type { Services } from '../context.ts'
import { admitWaiting } from '../run/admit-waiting.ts'

/**
 * Notes that a container and all it had is gone. Its slot is free from now on, and in the same transaction given to what
 * waits for it: to the next attempt of its own run, too, which does not begin before (spec section 5, "Bounds").
 * @param now the worker's reading of the database's clock
 */
export async function containerGone(services: Services, handleId: string, now: Date): Promise<void> {
  await services.sql.begin(async sql => {
    const [handle] = await sql<{ project_id: string }[]>`
      update container_handles set gone_at = ${now}, removing_since = coalesce(removing_since, ${now})
      where id = ${handleId} and gone_at is null returning project_id`
    if (handle) await admitWaiting(sql, services.limits, [handle.project_id], now)
  })
}
