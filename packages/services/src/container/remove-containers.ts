import type { Sql, TransactionSql } from '@workly/db'

/**
 * Marks containers that are still there as to be removed, whatever becomes of their attempts; whoever watches them hears
 * of it by the same notice as of calls to abort. The caller holds their runs.
 * @param which a condition over `container_handles`
 * @returns the attempts that they are of
 */
export async function removeContainers(
  sql: TransactionSql,
  which: ReturnType<Sql>,
  now: Date,
): Promise<string[]> {
  const rows = await sql<{ attempt_id: string }[]>`
    update container_handles set removing_since = ${now}
    where id in (
      select id from container_handles where ${which} and gone_at is null and removing_since is null
      order by id for no key update)
    returning attempt_id`
  return rows.map(row => row.attempt_id)
}

/** Which of the containers that a worker watches are to be removed by now, or watched by another: by handle. */
export async function takenContainers(
  sql: Sql,
  workerId: string,
  handleIds: string[],
): Promise<{ handle_id: string; is_ours: boolean }[]> {
  return sql<{ handle_id: string; is_ours: boolean }[]>`
    select asked.id as handle_id, coalesce(h.worker_id = ${workerId} and h.gone_at is null, false) as is_ours
    from unnest(${handleIds}::text[]) as asked(id) left join container_handles h on h.id = asked.id
    where h.id is null or h.gone_at is not null or h.removing_since is not null or h.worker_id is distinct from ${workerId}`
}
