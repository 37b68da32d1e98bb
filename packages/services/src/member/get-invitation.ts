import { notFound } from '@workly/core'
import { type Role, readClock, type Services } from '../context.ts'
import { hashInvitationToken } from './invitation-token.ts'
import { type InvitationRow, type InvitationState, invitationState } from './shown-invitation.ts'

/** What the page behind an invitation's link shows before anybody signs in. */
export interface InvitationPreview {
  organization: { slug: string; name: string }
  email: string
  role: Role
  state: InvitationState
}

/**
 * The invitation that a link's token stands for.
 * @throws WorklyError `not_found`
 */
export async function getInvitation(services: Services, token: string): Promise<InvitationPreview> {
  const [row] = await services.sql<(InvitationRow & { slug: string; organization_name: string })[]>`
    select i.*, o.slug, o.name as organization_name
    from invitations i join organizations o on o.id = i.organization_id
    where i.token_hash = ${hashInvitationToken(token)} and o.deleted_at is null`
  if (!row) throw notFound('such invitation')
  const now = await readClock(services, services.sql)
  return {
    organization: { slug: row.slug, name: row.organization_name },
    email: row.email,
    role: row.role,
    state: invitationState(row, now),
  }
}
