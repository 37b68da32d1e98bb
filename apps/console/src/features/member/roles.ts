import type { Role } from '@workly/services'

/** Roles, least first (spec section 10). */
export const ROLES_IN_ORDER = ['viewer', 'operator', 'developer', 'admin', 'owner'] as const satisfies Role[]

/** What a member may do. */
export const ROLE_WORDS: Record<Role, string> = {
  viewer: 'Sees everything but keys and secrets.',
  operator: 'Also runs, pauses, retries and cancels.',
  developer: 'Also makes, changes and deletes jobs.',
  admin: 'Also API keys, signing secrets, projects, defaults, and members below owner.',
  owner: 'Also owners, and deleting the organization.',
}

/** The roles that somebody of a role may give and take: none above their own. */
export function rolesWithin(role: string): Role[] {
  return ROLES_IN_ORDER.slice(0, ROLES_IN_ORDER.map(String).indexOf(role) + 1)
}
