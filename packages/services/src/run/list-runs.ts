import {
  type FieldIssue,
  invalid,
  type Page,
  parseInstant,
  type RunListItem,
  type RunState,
  type RunTrigger,
} from '@workly/core'
import { authorize } from '../authorize.ts'
import type { ProjectContext } from '../context.ts'
import { cutPage, readCursor, readLimit } from '../cursor.ts'
import { loadJob } from '../job/job-row.ts'
import { runListItem } from './run-row.ts'
import { runsPage } from './runs-page.ts'

export interface RunFilter {
  /** A job's name: only its runs. */
  job?: string | undefined
  state?: RunState | undefined
  trigger?: RunTrigger | undefined
  /** What the run does, whatever its job does now. */
  kind?: 'http' | 'image' | 'pipeline' | undefined
  /** Bounds on the scheduled time, both included: RFC 3339 instants. */
  from?: string | undefined
  to?: string | undefined
  limit?: number | undefined
  cursor?: string | undefined
}

function readBound(field: 'from' | 'to', text: string | undefined, issues: FieldIssue[]): Date | null {
  if (text === undefined) return null
  const ms = parseInstant(text)
  if (ms === null)
    issues.push({ field, message: 'an RFC 3339 instant with an offset, such as 2026-12-01T02:00:00Z' })
  return ms === null ? null : new Date(ms)
}

/**
 * Runs of the project or of one job, newest first.
 * @throws WorklyError `invalid_request` on `from`, `to`, `limit` or `cursor`, `not_found` for an unknown job
 */
export async function listRuns(ctx: ProjectContext, filter: RunFilter = {}): Promise<Page<RunListItem>> {
  authorize(ctx, 'read')
  const { sql } = ctx.services
  const limit = readLimit(filter.limit)
  const after = filter.cursor === undefined ? null : readCursor(filter.cursor, 1)
  const issues: FieldIssue[] = []
  const from = readBound('from', filter.from, issues)
  const to = readBound('to', filter.to, issues)
  if (issues.length > 0) throw invalid(issues)
  const job = filter.job === undefined ? null : await loadJob(sql, ctx, filter.job)
  const rows = await runsPage(sql, {
    organizationId: ctx.organizationId,
    projectId: ctx.projectId,
    jobId: job?.id ?? null,
    state: filter.state,
    trigger: filter.trigger,
    kind: filter.kind,
    from,
    to,
    after: after?.[0] ?? null,
    limit: limit + 1,
  })
  return cutPage(rows, limit, runListItem, row => [row.id])
}
