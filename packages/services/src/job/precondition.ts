import { WorklyError } from '@workly/core'
import type { JobRow } from './job-row.ts'
import { etagOf } from './job-view.ts'

/** `If-Match` and `If-None-Match` as they were sent. */
export interface Condition {
  ifMatch?: string | null
  ifNoneMatch?: string | null
}

function names(list: string, etag: string): boolean {
  return list.trim() === '*' || list.split(',').some(tag => tag.trim().replace(/^W\//, '') === etag)
}

/**
 * `If-Match` on a job that does not exist or differs fails, `If-None-Match: *` only creates (spec section 8; RFC 9110
 * sections 13.1.1 and 13.1.2).
 * @throws WorklyError `precondition_failed`
 */
export function checkCondition(condition: Condition, row: Pick<JobRow, 'id' | 'revision'> | undefined): void {
  const { ifMatch, ifNoneMatch } = condition
  if (ifMatch && !(row && names(ifMatch, etagOf(row)))) {
    const detail = row ? 'The job has changed since you read it; read it again.' : 'The job does not exist.'
    throw new WorklyError('precondition_failed', detail)
  }
  if (ifNoneMatch && row && names(ifNoneMatch, etagOf(row))) {
    throw new WorklyError('precondition_failed', 'The job exists already.')
  }
}
