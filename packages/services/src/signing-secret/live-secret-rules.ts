import { WorklyError } from '@workly/core'
import type { TransactionSql } from '@workly/db'
import type { ProjectContext } from '../context.ts'
import { inProject } from '../tenant-scope.ts'

/** Each live secret adds a signature to each call's headers. */
const MAX_LIVE = 10

async function countLive(sql: TransactionSql, ctx: ProjectContext, now: Date): Promise<number> {
  const [row] = await sql<{ n: number }[]>`
    select count(*)::int as n from signing_secrets
    where ${inProject(sql, ctx)} and (expires_at is null or expires_at > ${now})`
  return row?.n ?? 0
}

/** @throws WorklyError `limit_reached` when the project has as many live secrets as it may */
export async function refuseTooMany(sql: TransactionSql, ctx: ProjectContext, now: Date): Promise<void> {
  if ((await countLive(sql, ctx, now)) < MAX_LIVE) return
  throw new WorklyError(
    'limit_reached',
    `A project has at most ${MAX_LIVE} live signing secrets. End one first.`,
  )
}

/** @throws WorklyError `conflict` when no live secret is left: calls would go out unsigned */
export async function requireOneLive(sql: TransactionSql, ctx: ProjectContext, now: Date): Promise<void> {
  if ((await countLive(sql, ctx, now)) > 0) return
  throw new WorklyError('conflict', 'This is the last live signing secret. Make a new one first.')
}
