import { isId, notFound } from '@workly/core'
import { audit } from '../audit.ts'
import { authorize } from '../authorize.ts'
import { type ProjectContext, readClock } from '../context.ts'
import { inProject, lockProject } from '../tenant-scope.ts'
import { requireOneLive } from './live-secret-rules.ts'
import { type SigningSecret, type SigningSecretRow, shownSecret } from './seal-secret.ts'

/**
 * Ends a signing secret now, before its time. One that has ended is left as it is.
 * @throws WorklyError `forbidden` below admin; `not_found`; `conflict` for the last live one
 */
export async function expireSigningSecret(ctx: ProjectContext, id: string): Promise<SigningSecret> {
  authorize(ctx, 'admin')
  if (!isId('signingSecret', id)) throw notFound('such signing secret')
  const { services } = ctx
  return services.sql.begin(async sql => {
    await lockProject(sql, ctx)
    const now = await readClock(services, sql)
    const [row] = await sql<SigningSecretRow[]>`
      select id, created_at, expires_at from signing_secrets where ${inProject(sql, ctx)} and id = ${id}`
    if (!row) throw notFound('such signing secret')
    const before = shownSecret(row, now)
    if (!before.live) return before
    await sql`update signing_secrets set expires_at = ${now} where ${inProject(sql, ctx)} and id = ${id}`
    await requireOneLive(sql, ctx, now)
    const after = shownSecret({ ...row, expires_at: now }, now)
    await audit(sql, ctx, now, {
      action: 'signing_secret.expire',
      subject: { kind: 'signing_secret', id, name: id },
      projectId: ctx.projectId,
      before,
      after,
    })
    return after
  })
}
