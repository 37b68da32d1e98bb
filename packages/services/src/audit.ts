import type { TransactionSql } from '@workly/db'
import { boundedRecord } from './audit/bounded-record.ts'
import { type Context, freshId } from './context.ts'

export interface AuditRecord {
  /** What was done, such as `job.put` or `api_key.revoke`. */
  action: string
  subject: { kind: string; id: string; name: string }
  projectId?: string
  /** Settings before and after; never a secret. What is very long of them is cut. */
  before?: object | null
  after?: object | null
}

/** Writes one line of the organization's audit log, in the transaction of the change itself (spec section 10). */
export async function audit(sql: TransactionSql, ctx: Context, at: Date, record: AuditRecord): Promise<void> {
  const { actor } = ctx
  await sql`
    insert into audit_entries ${sql({
      id: freshId('auditEntry', at),
      organization_id: ctx.organizationId,
      project_id: record.projectId ?? null,
      actor_kind: actor.kind,
      actor_id: actor.kind === 'system' ? null : actor.id,
      actor_name: actor.name,
      action: record.action,
      subject_kind: record.subject.kind,
      subject_id: record.subject.id,
      subject_name: record.subject.name,
      before: record.before ? sql.json(boundedRecord(record.before) as never) : null,
      after: record.after ? sql.json(boundedRecord(record.after) as never) : null,
      request_id: ctx.requestId,
      created_at: at,
    })}`
}
