import { type Page, parseInstant, readWire, wholeNumber, wireText } from '@workly/core'
import { z } from 'zod'
import type { Actor, Context } from '../context.ts'
import { cutPage, DEFAULT_LIMIT, readCursor } from '../cursor.ts'
import { authorizeMember, inOrganization } from '../tenant-scope.ts'
import { wireInstant } from '../wire-instant.ts'

/** One change, as the audit log tells it. */
export interface AuditEntry {
  id: string
  project_id: string | null
  actor: { kind: Actor['kind']; id: string | null; name: string }
  /** Such as `job.put` or `api_key.revoke`. */
  action: string
  subject: { kind: string; id: string; name: string }
  before: unknown
  after: unknown
  request_id: string | null
  created_at: string
}

export const auditList = z.strictObject({
  limit: wholeNumber(1, 200).nullish(),
  cursor: wireText(200).nullish(),
})

interface AuditRow {
  id: string
  project_id: string | null
  actor_kind: Actor['kind']
  actor_id: string | null
  actor_name: string
  action: string
  subject_kind: string
  subject_id: string
  subject_name: string
  before: unknown
  after: unknown
  request_id: string | null
  created_at: Date
}

/**
 * The organization's audit log, newest first, 50 to a page unless `limit` says else.
 * @throws WorklyError `forbidden` for an API key; `invalid_request`
 */
export async function listAudit(
  ctx: Context,
  input: z.input<typeof auditList> = {},
): Promise<Page<AuditEntry>> {
  authorizeMember(ctx, 'read')
  const { limit, cursor } = readWire(auditList, input)
  const { sql } = ctx.services
  const size = limit ?? DEFAULT_LIMIT
  const [at, id] = typeof cursor === 'string' ? readCursor(cursor, 2) : []
  const rows = await sql<AuditRow[]>`
    select id, project_id, actor_kind, actor_id, actor_name, action, subject_kind, subject_id, subject_name, before,
      after, request_id, created_at
    from audit_entries
    where ${inOrganization(sql, ctx)} ${at !== undefined && id !== undefined ? sql`and (created_at, id) < (${readAt(at)}, ${id})` : sql``}
    order by created_at desc, id desc limit ${size + 1}`
  return cutPage(rows, size, shownEntry, row => [row.created_at.toISOString(), row.id])
}

function shownEntry(row: AuditRow): AuditEntry {
  return {
    id: row.id,
    project_id: row.project_id,
    actor: { kind: row.actor_kind, id: row.actor_id, name: row.actor_name },
    action: row.action,
    subject: { kind: row.subject_kind, id: row.subject_id, name: row.subject_name },
    before: row.before,
    after: row.after,
    request_id: row.request_id,
    created_at: wireInstant(row.created_at),
  }
}

/** A cursor's instant; whoever made one up gets no page rather than a failure. */
function readAt(text: string): Date {
  return new Date(parseInstant(text) ?? 0)
}
