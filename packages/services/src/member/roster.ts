import { WorklyError } from '@workly/core'
import type { TransactionSql } from '@workly/db'
import { authorize, type Permission } from '../authorize.ts'
import { type Context, ROLES, type Role } from '../context.ts'
import { authorizeMember, inOrganization, lockOrganization } from '../tenant-scope.ts'

/** Who is in the organization, as long as the transaction holds its row. */
export interface Roster {
  organization: { id: string; slug: string; name: string }
  roles: ReadonlyMap<string, Role>
  /** The actor's own role now; null for the system, which may do all. */
  ownRole: Role | null
}

/**
 * Puts changes of members in one line and reads the roles anew: what the actor was when the request began may have
 * changed, and of two owners who remove each other at once only one can.
 * @throws WorklyError `forbidden` when the actor is no member any more or is below `permission`
 */
export async function lockRoster(sql: TransactionSql, ctx: Context, permission: Permission): Promise<Roster> {
  authorizeMember(ctx, permission)
  const organization = await lockOrganization(sql, ctx)
  const rows = await sql<{ user_id: string; role: Role }[]>`
    select user_id, role from memberships where ${inOrganization(sql, ctx)}`
  const roles = new Map(rows.map(row => [row.user_id, row.role]))
  if (ctx.actor.kind !== 'user') return { organization, roles, ownRole: null }
  const role = roles.get(ctx.actor.id)
  if (!role) throw new WorklyError('forbidden', 'You are no longer a member of this organization.')
  authorize({ actor: { ...ctx.actor, role } }, permission)
  return { organization, roles, ownRole: role }
}

/** Whether someone of the role `own` may give, change or take the role `other`: none above their own (spec section 10). */
export function reaches(own: Role | null, other: Role): boolean {
  return own === null || ROLES.indexOf(own) >= ROLES.indexOf(other)
}

/** @throws WorklyError `forbidden` */
export function requireReach(roster: Roster, role: Role): void {
  if (reaches(roster.ownRole, role)) return
  throw new WorklyError('forbidden', `Only someone with the role ${role} or above may give or take it.`)
}

/**
 * An organization always has an owner (spec section 10).
 * @throws WorklyError `conflict` when that person is its last one
 */
export function requireAnotherOwner(roster: Roster, userId: string): void {
  const others = [...roster.roles].some(([id, role]) => role === 'owner' && id !== userId)
  if (others || roster.roles.get(userId) !== 'owner') return
  throw new WorklyError('conflict', 'This is the last owner. Make another member an owner first.')
}
