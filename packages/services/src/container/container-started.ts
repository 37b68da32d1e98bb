import type { Services } from '../context.ts'

/** Where an attempt stands when its container has been made. */
export type Started = 'goes on' | 'to be removed' | 'not ours'

/**
 * Notes that the executor has made a container: its deadline and the wait for its callback count from now (spec section
 * 5, "Callbacks").
 * @param now the worker's reading of the database's clock
 * @returns `not ours` when another worker watches it by now
 */
export async function containerStarted(
  services: Services,
  workerId: string,
  handleId: string,
  now: Date,
): Promise<Started> {
  return services.sql.begin(async sql => {
    const [run] = await sql<{ id: string }[]>`
      select id from runs where id = (select run_id from container_handles where id = ${handleId}) for no key update`
    const [handle] = await sql<
      { attempt_id: string; removing_since: Date | null; started_at: Date | null }[]
    >`
      select attempt_id, removing_since, started_at from container_handles
      where id = ${handleId} and worker_id = ${workerId} and gone_at is null for no key update`
    if (!handle) return 'not ours'
    if (run && handle.started_at === null) {
      const image = sql`
        select case when r.step_count > 0 then v.request->'steps'->r.current_step else v.request end as image
        from request_versions v where v.id = r.request_version_id`
      const [waits] = await sql<{ timeout: number; wait: number | null }[]>`
        select (i.image->>'timeout_seconds')::int as timeout, (i.image->>'max_wait_seconds')::int as wait
        from attempts a join runs r on r.id = a.run_id and r.current_attempt_id = a.id cross join lateral (${image}) i
        where a.id = ${handle.attempt_id} and a.state = 'waiting'`
      if (waits) {
        const after = (seconds: number) => new Date(now.getTime() + seconds * 1000)
        const until = waits.wait === null ? null : after(waits.wait)
        await sql`update attempts set callback_deadline = ${until} where id = ${handle.attempt_id}`
        await sql`update runs set next_attempt_at = ${until} where id = ${run.id}`
        await sql`update container_handles set deadline_at = ${after(waits.timeout)} where id = ${handleId}`
      }
    }
    await sql`
      update container_handles set started_at = coalesce(started_at, ${now}::timestamptz) where id = ${handleId}`
    return handle.removing_since === null ? 'goes on' : 'to be removed'
  })
}
