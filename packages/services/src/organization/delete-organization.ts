import { WorklyError } from '@workly/core'
import { audit } from '../audit.ts'
import { type Context, readClock } from '../context.ts'
import { authorizeMember, inOrganization, lockOrganization } from '../tenant-scope.ts'

/**
 * Deletes the organization for all its members. Its projects must be deleted before, one by one, so that nobody stops
 * other people's jobs by one click. The slug is free again; the audit log stays.
 * @throws WorklyError `forbidden` below owner; `conflict` while it has projects
 */
export async function deleteOrganization(ctx: Context): Promise<void> {
  authorizeMember(ctx, 'owner')
  const { services } = ctx
  await services.sql.begin(async sql => {
    // Projects are made under this lock, so none comes in between.
    const row = await lockOrganization(sql, ctx)
    const projects =
      await sql`select 1 from projects where ${inOrganization(sql, ctx)} and deleted_at is null limit 1`
    if (projects.length > 0) {
      throw new WorklyError('conflict', 'The organization still has projects. Delete them first.')
    }
    const now = await readClock(services, sql)
    await sql`update organizations set deleted_at = ${now}, slug = id where id = ${row.id}`
    await audit(sql, ctx, now, {
      action: 'organization.delete',
      subject: { kind: 'organization', id: row.id, name: row.name },
      before: { slug: row.slug, name: row.name },
    })
  })
}
