import { readWire } from '@workly/core'
import { z } from 'zod'
import { audit } from '../audit.ts'
import { type Context, readClock } from '../context.ts'
import { displayName } from '../display-name.ts'
import { authorizeMember, lockOrganization } from '../tenant-scope.ts'
import { type Organization, shownOrganization } from './shown-organization.ts'

export const organizationUpdate = z.strictObject({ name: displayName })

/**
 * Renames the organization. Its slug stays, since it stands in addresses that customers have written down.
 * @throws WorklyError `forbidden` below admin; `invalid_request`
 */
export async function updateOrganization(
  ctx: Context,
  input: z.input<typeof organizationUpdate>,
): Promise<Organization> {
  authorizeMember(ctx, 'admin')
  const { name } = readWire(organizationUpdate, input)
  const { services, actor } = ctx
  return services.sql.begin(async sql => {
    const row = await lockOrganization(sql, ctx)
    if (row.name !== name) {
      await sql`update organizations set name = ${name} where id = ${row.id}`
      await audit(sql, ctx, await readClock(services, sql), {
        action: 'organization.update',
        subject: { kind: 'organization', id: row.id, name },
        before: { name: row.name },
        after: { name },
      })
    }
    return shownOrganization({ ...row, name }, actor.kind === 'user' ? actor.role : null)
  })
}
