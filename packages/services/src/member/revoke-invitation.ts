import { isId, notFound, WorklyError } from '@workly/core'
import { audit } from '../audit.ts'
import { type Context, readClock } from '../context.ts'
import { inOrganization } from '../tenant-scope.ts'
import { lockRoster } from './roster.ts'
import { INVITATION_COLUMNS, type InvitationRow } from './shown-invitation.ts'

/**
 * Takes an invitation back. Revoking it again changes nothing.
 * @throws WorklyError `forbidden` below admin; `not_found`; `conflict` when it was accepted
 */
export async function revokeInvitation(ctx: Context, id: string): Promise<void> {
  const { services } = ctx
  await services.sql.begin(async sql => {
    await lockRoster(sql, ctx, 'admin')
    if (!isId('invitation', id)) throw notFound('such invitation')
    const [row] = await sql<InvitationRow[]>`
      select ${sql(INVITATION_COLUMNS)} from invitations where ${inOrganization(sql, ctx)} and id = ${id}`
    if (!row) throw notFound('such invitation')
    if (row.accepted_at)
      throw new WorklyError('conflict', 'The invitation was accepted. Remove the member instead.')
    if (row.revoked_at) return
    const now = await readClock(services, sql)
    await sql`update invitations set revoked_at = ${now} where ${inOrganization(sql, ctx)} and id = ${id}`
    await audit(sql, ctx, now, {
      action: 'member.revoke_invitation',
      subject: { kind: 'invitation', id, name: row.email },
      before: { email: row.email, role: row.role },
    })
  })
}
