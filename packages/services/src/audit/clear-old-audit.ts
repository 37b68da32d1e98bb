import type { Services } from '../context.ts'

const ENTRIES_PER_BATCH = 1_000

/** Removes entries of audit logs that are older than `before`. Yields after each batch how many went. */
export async function* clearOldAudit(services: Services, before: Date): AsyncGenerator<number> {
  let removed: number
  do {
    // By organization, as their index has them.
    const { count } = await services.sql`
      delete from audit_entries where id in (
        select e.id from organizations o
        cross join lateral (
          select id from audit_entries
          where organization_id = o.id and created_at < ${before} order by created_at, id limit ${ENTRIES_PER_BATCH}
        ) e
        limit ${ENTRIES_PER_BATCH})`
    removed = count
    yield removed
  } while (removed === ENTRIES_PER_BATCH)
}
