import { isId, JOB_NAME, notFound, type RunState, STEP_ID } from '@workly/core'
import type { ProjectContext } from '../context.ts'
import type { JobRow } from '../job/job-row.ts'
import { isOfKind } from './run-kind.ts'

/** A run by its job's name and its kind, with the step that is meant (spec section 9). */
export interface ExecutionAddress {
  kind: JobRow['kind']
  job: string
  runId: string
  /** Of a pipeline; null otherwise. */
  stepId: string | null
}

/**
 * The run that an address names, of the actor's project.
 * @throws WorklyError `not_found`: none, or of another job or kind
 */
export async function addressedRun(
  ctx: ProjectContext,
  { kind, job, runId, stepId }: ExecutionAddress,
): Promise<{ id: string; state: RunState }> {
  const missing = () => notFound('execution at this address')
  if (!isId('run', runId) || !JOB_NAME.test(job) || (stepId !== null && !STEP_ID.test(stepId)))
    throw missing()
  const { sql } = ctx.services
  const [run] = await sql<{ id: string; state: RunState }[]>`
    select r.id, r.state from runs r join jobs j on j.id = r.job_id
    where r.id = ${runId} and r.organization_id = ${ctx.organizationId} and r.project_id = ${ctx.projectId}
      and j.name = ${job} and j.deleted_at is null and ${isOfKind(sql, kind)}`
  if (!run) throw missing()
  return run
}
