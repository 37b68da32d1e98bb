import { audit } from '../audit.ts'
import { authorize } from '../authorize.ts'
import { type ProjectContext, readClock } from '../context.ts'
import { lockProject } from '../tenant-scope.ts'
import { refuseTooMany } from './live-secret-rules.ts'
import { insertSigningSecret, type NewSigningSecret } from './seal-secret.ts'

/**
 * Gives the project one more signing secret, which signs beside those it has (spec section 6).
 * @throws WorklyError `forbidden` below admin; `limit_reached`
 */
export async function createSigningSecret(ctx: ProjectContext): Promise<NewSigningSecret> {
  authorize(ctx, 'admin')
  const { services } = ctx
  return services.sql.begin(async sql => {
    await lockProject(sql, ctx)
    const now = await readClock(services, sql)
    await refuseTooMany(sql, ctx, now)
    const made = await insertSigningSecret(sql, ctx, now)
    const { id } = made.signing_secret
    await audit(sql, ctx, now, {
      action: 'signing_secret.create',
      subject: { kind: 'signing_secret', id, name: id },
      projectId: ctx.projectId,
      after: made.signing_secret,
    })
    return made
  })
}
