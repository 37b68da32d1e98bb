import { notFound, readWire } from '@workly/core'
import { z } from 'zod'
import { audit } from '../audit.ts'
import { type Context, ROLES, readClock } from '../context.ts'
import { inOrganization } from '../tenant-scope.ts'
import { readPerson } from './person.ts'
import { lockRoster, requireAnotherOwner, requireReach } from './roster.ts'

export const roleChange = z.strictObject({ role: z.enum(ROLES, `one of ${ROLES.join(', ')}`) })

/**
 * Gives a member another role: neither the old nor the new one above the actor's own.
 * @throws WorklyError `forbidden` below admin, or beyond the actor's own role; `not_found`; `conflict` for the last owner
 */
export async function changeRole(
  ctx: Context,
  userId: string,
  input: z.input<typeof roleChange>,
): Promise<void> {
  const { services } = ctx
  await services.sql.begin(async sql => {
    const roster = await lockRoster(sql, ctx, 'admin')
    const { role } = readWire(roleChange, input)
    const before = roster.roles.get(userId)
    if (!before) throw notFound('such member')
    requireReach(roster, before)
    requireReach(roster, role)
    if (role === before) return
    requireAnotherOwner(roster, userId)
    await sql`update memberships set role = ${role} where ${inOrganization(sql, ctx)} and user_id = ${userId}`
    await audit(sql, ctx, await readClock(services, sql), {
      action: 'member.change_role',
      subject: { kind: 'member', id: userId, name: await readPerson(sql, userId) },
      before: { role: before },
      after: { role },
    })
  })
}
