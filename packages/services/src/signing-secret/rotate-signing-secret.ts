import { audit } from '../audit.ts'
import { authorize } from '../authorize.ts'
import { type ProjectContext, readClock } from '../context.ts'
import { inProject, lockProject } from '../tenant-scope.ts'
import { wireInstant } from '../wire-instant.ts'
import { refuseTooMany } from './live-secret-rules.ts'
import { insertSigningSecret, type NewSigningSecret } from './seal-secret.ts'

/** How long the secrets before go on signing (spec section 6). */
const STAYS_LIVE_MS = 24 * 60 * 60 * 1000

/**
 * Makes a new signing secret, the newest; those before it sign beside it for 24 hours more, unless they end sooner.
 * @throws WorklyError `forbidden` below admin; `limit_reached`
 */
export async function rotateSigningSecret(ctx: ProjectContext): Promise<NewSigningSecret> {
  authorize(ctx, 'admin')
  const { services } = ctx
  return services.sql.begin(async sql => {
    await lockProject(sql, ctx)
    const now = await readClock(services, sql)
    await refuseTooMany(sql, ctx, now)
    const until = new Date(now.getTime() + STAYS_LIVE_MS)
    const rotated = await sql<{ id: string }[]>`
      update signing_secrets set expires_at = ${until}
      where ${inProject(sql, ctx)} and (expires_at is null or expires_at > ${until}) returning id`
    const made = await insertSigningSecret(sql, ctx, now)
    const { id } = made.signing_secret
    await audit(sql, ctx, now, {
      action: 'signing_secret.rotate',
      subject: { kind: 'signing_secret', id, name: id },
      projectId: ctx.projectId,
      before: { live_until: wireInstant(until), ids: rotated.map(row => row.id) },
      after: made.signing_secret,
    })
    return made
  })
}
