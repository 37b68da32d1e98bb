import { type CallbackBody, isId, JOB_NAME, notFound, STEP_ID } from '@workly/core'
import { authorize } from '../authorize.ts'
import { recordCallback } from '../callback/record-callback.ts'
import type { ProjectContext } from '../context.ts'
import type { JobRow } from '../job/job-row.ts'
import { isOfKind } from './run-kind.ts'

/** A run by its job's name and kind, with the step that is meant. */
export interface ExecutionAddress {
  kind: JobRow['kind']
  job: string
  runId: string
  /** Of a pipeline; null otherwise. */
  stepId: string | null
}

/**
 * Takes a callback that names the run and step instead of the attempt (spec section 9): it is for the open attempt of
 * that step, else for the latest.
 * @throws WorklyError `not_found` also where nothing is to be reported, `invalid_request`, `forbidden`
 */
export async function reportExecution(
  ctx: ProjectContext,
  { kind, job, runId, stepId }: ExecutionAddress,
  body: CallbackBody,
): Promise<void> {
  authorize(ctx, 'run')
  const missing = () => notFound('execution that waits for a callback at this address')
  if (!isId('run', runId) || !JOB_NAME.test(job) || (stepId !== null && !STEP_ID.test(stepId)))
    throw missing()
  const { sql } = ctx.services
  const [attempt] = await sql<{ id: string }[]>`
    select a.id from runs r join jobs j on j.id = r.job_id join attempts a on a.run_id = r.id
    where r.id = ${runId} and r.organization_id = ${ctx.organizationId}
      and r.project_id = ${ctx.projectId} and j.name = ${job} and j.deleted_at is null and ${isOfKind(sql, kind)}
      and a.step_id = ${stepId ?? ''}
    order by a.state in ('running', 'waiting') desc, a.number desc limit 1`
  if (!attempt) throw missing()
  await recordCallback(ctx.services, attempt.id, { ctx }, body)
}
