import { notFound, WorklyError } from '@workly/core'
import type { TransactionSql } from '@workly/db'
import { audit } from '../audit.ts'
import { isAllowed } from '../authorize.ts'
import { type Context, type Role, readClock, type Services } from '../context.ts'
import { type Organization, shownOrganization } from '../organization/shown-organization.ts'
import { inOrganization, lockOrganization } from '../tenant-scope.ts'
import { hashInvitationToken } from './invitation-token.ts'
import { SYSTEM } from './invite-member.ts'
import { reaches } from './roster.ts'
import { INVITATION_COLUMNS, type InvitationRow, invitationState } from './shown-invitation.ts'

/** Why an invitation that is over lets nobody in. */
export const REFUSED = {
  accepted: 'The invitation was used already.',
  revoked: 'The invitation was taken back. Ask for a new one.',
  expired: 'The invitation has expired. Ask for a new one.',
}

/**
 * A person who is signed in joins the organization by the token of an invitation's link.
 * @throws WorklyError `not_found`; `forbidden` when it was sent to another address; `conflict` when it was used, taken
 *   back or has expired, when who sent it may not give that role any more, and for a member
 */
export async function acceptInvitation(
  services: Services,
  userId: string,
  token: string,
  requestId: string | null,
): Promise<Organization> {
  return services.sql.begin(async sql => {
    const [user] = await sql<{ email: string; name: string }[]>`
      select email, coalesce(name, email) as name from users where id = ${userId}`
    if (!user) throw notFound('such user')
    return takeUpInvitation(sql, services, { id: userId, ...user }, token, requestId)
  })
}

/** Within the caller's transaction. @throws WorklyError as {@link acceptInvitation} does */
export async function takeUpInvitation(
  sql: TransactionSql,
  services: Services,
  user: { id: string; email: string; name: string },
  token: string,
  requestId: string | null,
): Promise<Organization> {
  const found = await readInvitation(sql, token)
  const actor = { kind: 'user' as const, id: user.id, name: user.name, role: found.role }
  const ctx: Context = { services, organizationId: found.organization_id, actor, requestId }
  const organization = await lockOrganization(sql, ctx)
  // Read again: whoever held the organization's row before may have used it or taken it back.
  const invitation = await readInvitation(sql, token)
  const now = await readClock(services, sql)
  const state = invitationState(invitation, now)
  if (state !== 'open') throw new WorklyError('conflict', REFUSED[state])
  if (invitation.email !== user.email) {
    throw new WorklyError('forbidden', 'The invitation was sent to another address. Sign in with that one.')
  }
  await requireSender(sql, ctx, invitation)
  await join(sql, ctx, user.id, invitation.role, now)
  await sql`
      update invitations set accepted_at = ${now} where ${inOrganization(sql, ctx)} and id = ${invitation.id}`
  await audit(sql, ctx, now, {
    action: 'member.join',
    subject: { kind: 'member', id: user.id, name: user.name },
    after: { role: invitation.role, invitation: invitation.id },
  })
  return shownOrganization(organization, invitation.role)
}

/** The one query that no tenant scopes: the token itself says which tenant it is for. */
async function readInvitation(sql: TransactionSql, token: string): Promise<InvitationRow> {
  const [row] = await sql<InvitationRow[]>`
    select ${sql(INVITATION_COLUMNS)} from invitations where token_hash = ${hashInvitationToken(token)}`
  if (!row) throw notFound('such invitation')
  return row
}

/** What a removed or demoted admin has sent does not let anybody in, least of all themselves under another name. */
async function requireSender(sql: TransactionSql, ctx: Context, invitation: InvitationRow): Promise<void> {
  if (invitation.invited_by === SYSTEM) return
  const [sender] = await sql<{ role: Role }[]>`
    select role from memberships where ${inOrganization(sql, ctx)} and user_id = ${invitation.invited_by}`
  const actor = sender && { kind: 'user' as const, id: invitation.invited_by, name: '', role: sender.role }
  if (actor && isAllowed(actor, 'admin') && reaches(actor.role, invitation.role)) return
  throw new WorklyError(
    'conflict',
    'Who sent the invitation may not give this role any more. Ask for a new one.',
  )
}

async function join(sql: TransactionSql, ctx: Context, userId: string, role: Role, at: Date): Promise<void> {
  const membership = { organization_id: ctx.organizationId, user_id: userId, role, created_at: at }
  const { count } = await sql`insert into memberships ${sql(membership)} on conflict do nothing`
  if (count === 0) throw new WorklyError('conflict', 'You are a member of this organization already.')
}
