import { notFound, WorklyError } from '@workly/core'
import type { TransactionSql } from '@workly/db'
import type { ProjectContext } from '../context.ts'
import { findJob, type JobRow, noSuchJob } from './job-row.ts'
import { etagOf } from './job-view.ts'

/** `If-Match` and `If-None-Match` as they were sent. */
export interface Condition {
  ifMatch?: string | null
  ifNoneMatch?: string | null
  /** Only a job of this kind; another counts as not there. */
  kind?: JobRow['kind']
}

function names(list: string, etag: string): boolean {
  return list.trim() === '*' || list.split(',').some(tag => tag.trim().replace(/^W\//, '') === etag)
}

/**
 * An empty `If-Match` names no version, so it fails: its sender meant to be careful and has lost the ETag.
 *
 * `If-Match` on a job that does not exist or differs fails, `If-None-Match: *` only creates (spec section 8; RFC 9110
 * sections 13.1.1 and 13.1.2).
 * @throws WorklyError `precondition_failed`
 */
export function checkCondition(condition: Condition, row: Pick<JobRow, 'id' | 'revision'> | undefined): void {
  const { ifMatch, ifNoneMatch } = condition
  if (typeof ifMatch === 'string' && !(row && names(ifMatch, etagOf(row)))) {
    const detail = row ? 'The job has changed since you read it; read it again.' : 'The job does not exist.'
    throw new WorklyError('precondition_failed', detail)
  }
  if (typeof ifNoneMatch === 'string' && row && names(ifNoneMatch, etagOf(row))) {
    throw new WorklyError('precondition_failed', 'The job exists already.')
  }
}

/**
 * The job of that name, its row locked, for a write that is only to happen under a condition.
 * @throws WorklyError `precondition_failed`, also where `If-Match` is given and there is no job; else `not_found`, also
 * for a job of another kind than is asked for
 */
export async function loadForWrite(
  sql: TransactionSql,
  ctx: ProjectContext,
  name: string,
  condition: Condition,
): Promise<JobRow> {
  const row = await findJob(sql, ctx, name, true)
  checkCondition(condition, row)
  if (!row) throw noSuchJob(name)
  if (condition.kind && row.kind !== condition.kind)
    throw notFound(
      `job of kind ${condition.kind} named ${JSON.stringify(name)} in this project: it is of kind ${row.kind}`,
    )
  return row
}
