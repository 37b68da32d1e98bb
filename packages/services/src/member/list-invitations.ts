import { type Context, readClock } from '../context.ts'
import { authorizeMember, inOrganization } from '../tenant-scope.ts'
import {
  INVITATION_COLUMNS,
  type Invitation,
  type InvitationRow,
  shownInvitation,
} from './shown-invitation.ts'

/**
 * Invitations that were neither accepted nor revoked, newest first; expired ones are in it, to be sent again.
 * @throws WorklyError `forbidden` below admin
 */
export async function listInvitations(ctx: Context): Promise<Invitation[]> {
  authorizeMember(ctx, 'admin')
  const { sql } = ctx.services
  const now = await readClock(ctx.services, sql)
  const rows = await sql<InvitationRow[]>`
    select ${sql(INVITATION_COLUMNS)} from invitations
    where ${inOrganization(sql, ctx)} and accepted_at is null and revoked_at is null
    order by created_at desc, id desc limit 200`
  return rows.map(row => shownInvitation(row, now))
}
