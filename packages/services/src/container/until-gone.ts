import { setTimeout as delay } from 'node:timers/promises'
import type { Sql, TransactionSql } from '@workly/db'
import type { ProjectContext } from '../context.ts'

/** How long a cancel waits for a container to be gone, in milliseconds (spec section 5, "Cancel"). */
export const GONE_WITHIN_MS = 60_000
const LOOK_EVERY_MS = 100

/** Whether nothing is left of any container of a run. */
export async function isGone(
  sql: Sql | TransactionSql,
  organizationId: string,
  runId: string,
): Promise<boolean> {
  const [row] = await sql`
    select 1 from container_handles
    where run_id = ${runId} and organization_id = ${organizationId} and gone_at is null limit 1`
  return row === undefined
}

/**
 * Waits until the containers of a run are gone, whichever worker removes them. Call it when what removes them is
 * committed, and not within a transaction.
 * @param withinMs the longest wait, in milliseconds
 * @returns whether they are
 */
export async function untilGone(
  ctx: ProjectContext,
  runId: string,
  withinMs = GONE_WITHIN_MS,
): Promise<boolean> {
  for (let leftMs = withinMs; ; leftMs -= LOOK_EVERY_MS) {
    if (await isGone(ctx.services.sql, ctx.organizationId, runId)) return true
    if (leftMs <= 0) return false
    await delay(Math.min(leftMs, LOOK_EVERY_MS))
  }
}
