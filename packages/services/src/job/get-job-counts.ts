import { notFound } from '@workly/core'
import { authorize } from '../authorize.ts'
import type { ProjectContext } from '../context.ts'
import { withoutNul } from '../storable-text.ts'
import { wireInstantOrNull } from '../wire-instant.ts'

/** How a job's runs have ended since it was made; retention takes nothing from these (spec section 5). */
export interface JobCounts {
  succeeded: number
  failed: number
  cancelled: number
  skipped: number
  consecutive_failures: number
  last_success_at: string | null
  last_failure_at: string | null
}

interface CountsRow {
  runs_succeeded: number
  runs_failed: number
  runs_cancelled: number
  runs_skipped: number
  consecutive_failures: number
  last_success_at: Date | null
  last_failure_at: Date | null
}

/** @throws WorklyError `not_found`, `forbidden` */
export async function getJobCounts(ctx: ProjectContext, name: string): Promise<JobCounts> {
  authorize(ctx, 'read')
  const [row] = await ctx.services.sql<CountsRow[]>`
    select runs_succeeded, runs_failed, runs_cancelled, runs_skipped, consecutive_failures, last_success_at,
      last_failure_at
    from jobs
    where organization_id = ${ctx.organizationId} and project_id = ${ctx.projectId}
      and name = ${withoutNul(name)} and deleted_at is null`
  if (!row) throw notFound(`job named ${JSON.stringify(name.slice(0, 100))} in this project`)
  return {
    succeeded: row.runs_succeeded,
    failed: row.runs_failed,
    cancelled: row.runs_cancelled,
    skipped: row.runs_skipped,
    consecutive_failures: row.consecutive_failures,
    last_success_at: wireInstantOrNull(row.last_success_at),
    last_failure_at: wireInstantOrNull(row.last_failure_at),
  }
}
