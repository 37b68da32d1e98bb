import { notFound } from '@workly/core'
import type { TransactionSql } from '@workly/db'
import { audit } from '../audit.ts'
import { type Context, readClock } from '../context.ts'
import { inOrganization } from '../tenant-scope.ts'
import { readPerson } from './person.ts'
import { lockRoster, type Roster, requireAnotherOwner, requireReach } from './roster.ts'

/**
 * Takes someone out of the organization, at once: membership is read on every request.
 * @throws WorklyError `forbidden` below admin, or for a member above the actor; `not_found`; `conflict` for the last owner
 */
export async function removeMember(ctx: Context, userId: string): Promise<void> {
  await ctx.services.sql.begin(async sql => {
    const roster = await lockRoster(sql, ctx, 'admin')
    const role = roster.roles.get(userId)
    if (!role) throw notFound('such member')
    requireReach(roster, role)
    await endMembership(sql, ctx, roster, userId, 'member.remove')
  })
}

/** @throws WorklyError `conflict` for the last owner */
export async function endMembership(
  sql: TransactionSql,
  ctx: Context,
  roster: Roster,
  userId: string,
  action: 'member.remove' | 'member.leave',
): Promise<void> {
  requireAnotherOwner(roster, userId)
  const name = await readPerson(sql, userId)
  await sql`delete from memberships where ${inOrganization(sql, ctx)} and user_id = ${userId}`
  await audit(sql, ctx, await readClock(ctx.services, sql), {
    action,
    subject: { kind: 'member', id: userId, name },
    before: { role: roster.roles.get(userId) },
  })
}
