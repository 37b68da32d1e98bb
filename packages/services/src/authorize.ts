import { WorklyError } from '@workly/core'
import { type Actor, ROLES, type Role, SCOPES, type Scope } from './context.ts'

/** What a verb asks of its actor: `read`, `run` and `write` are also the scopes of API keys (spec sections 8, 10). */
export type Permission = 'read' | 'run' | 'write' | 'admin' | 'owner'

const NEEDED_ROLE: Record<Permission, Role> = {
  read: 'viewer',
  run: 'operator',
  write: 'developer',
  admin: 'admin',
  owner: 'owner',
}

export function isAllowed(actor: Actor, permission: Permission): boolean {
  if (actor.kind === 'system') return true
  if (actor.kind === 'user') return ROLES.indexOf(actor.role) >= ROLES.indexOf(NEEDED_ROLE[permission])
  const scope: Scope | undefined = SCOPES.find(s => s === permission)
  return scope !== undefined && SCOPES.indexOf(actor.scope) >= SCOPES.indexOf(scope)
}

/** @throws WorklyError `forbidden`, naming the role or scope that is needed */
export function authorize(ctx: { actor: Actor }, permission: Permission): void {
  if (isAllowed(ctx.actor, permission)) return
  const detail =
    ctx.actor.kind === 'apiKey'
      ? `This needs an API key with scope ${permission}; this key has ${ctx.actor.scope}.`
      : `This needs the role ${NEEDED_ROLE[permission]} or above.`
  throw new WorklyError('forbidden', detail)
}
