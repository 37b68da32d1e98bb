import { notFound, WorklyError } from '@workly/core'
import type { Context, ProjectContext, Role, Services } from '../context.ts'
import { readSession, type Session } from './session.ts'

interface MemberRow {
  organization_id: string
  project_id: string | null
  name: string
  role: Role
}

/**
 * The context of a signed-in person within an organization, and within one of its projects where one is named. Session
 * and membership are read on every request, since what the browser holds outlives a removal (spec section 10).
 * @param organization its slug or id
 * @param project its slug or id, or null
 * @throws WorklyError `unauthorized` when the session is over; `not_found` for an organization that the person is no member of, as for one that does not exist
 */
export function consoleContext(
  services: Services,
  session: Session,
  organization: string,
  project: string,
  requestId: string | null,
): Promise<ProjectContext>
export function consoleContext(
  services: Services,
  session: Session,
  organization: string,
  project: string | null,
  requestId: string | null,
): Promise<Context>
export async function consoleContext(
  services: Services,
  session: Session,
  organization: string,
  project: string | null,
  requestId: string | null,
): Promise<Context | ProjectContext> {
  const [row] = await services.sql<MemberRow[]>`
    select m.organization_id, m.role, coalesce(u.name, u.email) as name, p.id as project_id
    from memberships m
    join users u on u.id = m.user_id
    join organizations o on o.id = m.organization_id
    left join projects p on p.organization_id = o.id and p.deleted_at is null and ${project} in (p.id, p.slug)
    where m.user_id = ${session.userId} and u.session_epoch = ${session.epoch} and ${organization} in (o.id, o.slug) and o.deleted_at is null`
  if (!row) {
    if (await readSession(services, session)) throw notFound('such organization')
    throw new WorklyError('unauthorized', 'You are signed out. Sign in again.')
  }
  const context: Context = {
    services,
    organizationId: row.organization_id,
    actor: { kind: 'user', id: session.userId, name: row.name, role: row.role },
    requestId,
  }
  if (project === null) return context
  if (row.project_id === null) throw notFound('such project')
  return { ...context, projectId: row.project_id }
}
