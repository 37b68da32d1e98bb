import { readWire, WorklyError } from '@workly/core'
import { z } from 'zod'
import { audit } from '../audit.ts'
import { type Context, freshId, ROLES, readClock } from '../context.ts'
import { inOrganization } from '../tenant-scope.ts'
import { emailAddress } from '../user/email-address.ts'
import { hashInvitationToken, newInvitationToken } from './invitation-token.ts'
import { lockRoster, requireReach } from './roster.ts'
import { type Invitation, type InvitationRow, shownInvitation } from './shown-invitation.ts'

const GOOD_FOR_MS = 7 * 24 * 60 * 60 * 1000

export const memberInvite = z.strictObject({
  email: emailAddress,
  role: z.enum(ROLES, `one of ${ROLES.join(', ')}`),
})

export interface NewInvitation {
  invitation: Invitation
  /** For the link in the e-mail; never shown again. */
  token: string
}

/**
 * Invites a person by e-mail, good for 7 days. An earlier open invitation of the same address is revoked by it.
 * @throws WorklyError `forbidden` below admin, or for a role above the actor's own; `invalid_request`; `conflict` for
 *   who is a member already
 */
export async function inviteMember(
  ctx: Context,
  input: z.input<typeof memberInvite>,
): Promise<NewInvitation> {
  const { services, actor } = ctx
  return services.sql.begin(async sql => {
    const roster = await lockRoster(sql, ctx, 'admin')
    const { email, role } = readWire(memberInvite, input)
    requireReach(roster, role)
    const [user] = await sql<{ id: string }[]>`select id from users where email = ${email}`
    if (user && roster.roles.has(user.id)) throw new WorklyError('conflict', `${email} is a member already.`)
    const now = await readClock(services, sql)
    await sql`
      update invitations set revoked_at = ${now}
      where ${inOrganization(sql, ctx)} and email = ${email} and accepted_at is null and revoked_at is null`
    const token = newInvitationToken()
    const row: InvitationRow = {
      id: freshId('invitation', now),
      organization_id: ctx.organizationId,
      email,
      role,
      invited_by: actor.kind === 'user' ? actor.id : SYSTEM,
      created_at: now,
      expires_at: new Date(now.getTime() + GOOD_FOR_MS),
      accepted_at: null,
      revoked_at: null,
    }
    await sql`insert into invitations ${sql({ ...row, token_hash: hashInvitationToken(token) })}`
    const invitation = shownInvitation(row, now)
    await audit(sql, ctx, now, {
      action: 'member.invite',
      subject: { kind: 'invitation', id: row.id, name: email },
      after: { email, role, expires_at: invitation.expires_at },
    })
    return { invitation, token }
  })
}

/** Who invites when no person does. */
export const SYSTEM = 'system'
