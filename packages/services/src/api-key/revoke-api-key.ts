import { isId, notFound } from '@workly/core'
import { audit } from '../audit.ts'
import { authorize } from '../authorize.ts'
import { type ProjectContext, readClock } from '../context.ts'
import { inProject } from '../tenant-scope.ts'
import { wireInstant } from '../wire-instant.ts'
import { type ApiKey, type ApiKeyRow, SHOWN_COLUMNS, shownKey } from './shown-key.ts'

/**
 * Takes an API key out of use for good; within a second every process refuses it. Revoking it again changes nothing.
 * @throws WorklyError `forbidden` below admin; `not_found`
 */
export async function revokeApiKey(ctx: ProjectContext, id: string): Promise<ApiKey> {
  authorize(ctx, 'admin')
  if (!isId('apiKey', id)) throw notFound('such API key')
  const { services } = ctx
  return services.sql.begin(async sql => {
    const [row] = await sql<ApiKeyRow[]>`
      select ${sql(SHOWN_COLUMNS)} from api_keys where ${inProject(sql, ctx)} and id = ${id} for no key update`
    if (!row) throw notFound('such API key')
    if (row.revoked_at) return shownKey(row)
    const now = await readClock(services, sql)
    await sql`update api_keys set revoked_at = ${now} where ${inProject(sql, ctx)} and id = ${id}`
    await audit(sql, ctx, now, {
      action: 'api_key.revoke',
      subject: { kind: 'api_key', id, name: row.name },
      projectId: ctx.projectId,
      before: { revoked_at: null },
      after: { revoked_at: wireInstant(now) },
    })
    return shownKey({ ...row, revoked_at: now })
  })
}
