import type { Context, Role } from '../context.ts'
import { authorizeMember, organizationScope } from '../tenant-scope.ts'
import { wireInstant } from '../wire-instant.ts'

export interface Member {
  user_id: string
  name: string | null
  email: string
  role: Role
  /** When they joined. */
  created_at: string
}

/**
 * The organization's members, those who joined first in front.
 * @throws WorklyError `forbidden` for an API key
 */
export async function listMembers(ctx: Context): Promise<Member[]> {
  authorizeMember(ctx, 'read')
  const rows = await ctx.services.prisma.membership.findMany({
    where: organizationScope(ctx),
    select: { user_id: true, role: true, created_at: true, user: { select: { name: true, email: true } } },
    orderBy: [{ created_at: 'asc' }, { user_id: 'asc' }],
  })
  return rows.map(row => ({
    user_id: row.user_id,
    name: row.user.name,
    email: row.user.email,
    // The database's check allows no other.
    role: row.role as Role,
    created_at: wireInstant(row.created_at),
  }))
}
