import { WorklyError } from '@workly/core'
import type { Context } from '../context.ts'
import { endMembership } from './remove-member.ts'
import { lockRoster } from './roster.ts'

/**
 * A member leaves the organization.
 * @throws WorklyError `conflict` for the last owner; `forbidden` for who is no member
 */
export async function leaveOrganization(ctx: Context): Promise<void> {
  const { actor, services } = ctx
  if (actor.kind !== 'user') throw new WorklyError('forbidden', 'Only a member can leave an organization.')
  await services.sql.begin(async sql => {
    const roster = await lockRoster(sql, ctx, 'read')
    await endMembership(sql, ctx, roster, actor.id, 'member.leave')
  })
}
