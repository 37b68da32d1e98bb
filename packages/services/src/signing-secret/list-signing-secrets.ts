import { authorize } from '../authorize.ts'
import { type ProjectContext, readClock } from '../context.ts'
import { projectScope } from '../tenant-scope.ts'
import { type SigningSecret, shownSecret } from './seal-secret.ts'

/**
 * The project's latest 100 signing secrets, newest first, those that have ended too. The secrets themselves are not in it.
 * @throws WorklyError `forbidden` below admin
 */
export async function listSigningSecrets(ctx: ProjectContext): Promise<SigningSecret[]> {
  authorize(ctx, 'admin')
  const now = await readClock(ctx.services, ctx.services.sql)
  const rows = await ctx.services.prisma.signingSecret.findMany({
    where: projectScope(ctx),
    select: { id: true, created_at: true, expires_at: true },
    orderBy: [{ created_at: 'desc' }, { id: 'desc' }],
    take: 100,
  })
  return rows.map(row => shownSecret(row, now))
}
