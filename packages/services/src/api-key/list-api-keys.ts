import { authorize } from '../authorize.ts'
import type { ProjectContext } from '../context.ts'
import { inProject } from '../tenant-scope.ts'
import { type ApiKey, type ApiKeyRow, SHOWN_COLUMNS, shownKey } from './shown-key.ts'

/**
 * The project's API keys, newest first: all that are live, and of those that were revoked the latest 100.
 * @throws WorklyError `forbidden` below admin
 */
export async function listApiKeys(ctx: ProjectContext): Promise<ApiKey[]> {
  authorize(ctx, 'admin')
  const { sql } = ctx.services
  const rows = await sql<ApiKeyRow[]>`
    select ${sql(SHOWN_COLUMNS)} from (
      select *, row_number() over (partition by revoked_at is null order by created_at desc, id desc) as place
      from api_keys where ${inProject(sql, ctx)}
    ) k where revoked_at is null or place <= 100
    order by created_at desc, id desc`
  return rows.map(shownKey)
}
