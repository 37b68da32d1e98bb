import type { TransactionSql } from '@workly/db'

/**
 * Removes ended runs with everything that hangs on them, in the caller's transaction, which has locked them. Handles of
 * containers stay until the containers are gone.
 */
export async function removeRuns(sql: TransactionSql, ids: string[]): Promise<void> {
  if (ids.length === 0) return
  await sql`delete from callback_tokens where attempt_id in (select id from attempts where run_id = any(${ids}))`
  await sql`delete from attempts where run_id = any(${ids})`
  await sql`delete from steps where run_id = any(${ids})`
  await sql`delete from runs where id = any(${ids})`
}
