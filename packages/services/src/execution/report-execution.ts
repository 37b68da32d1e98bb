import { type CallbackBody, notFound } from '@workly/core'
import { authorize } from '../authorize.ts'
import { recordCallback } from '../callback/record-callback.ts'
import type { ProjectContext } from '../context.ts'
import { addressedRun, type ExecutionAddress } from './addressed-run.ts'

/**
 * Takes a callback that names the run and step instead of the attempt (spec section 9): it is for the open attempt of
 * that step, else for the latest.
 * @throws WorklyError `not_found` also where nothing is to be reported, `invalid_request`, `forbidden`
 */
export async function reportExecution(
  ctx: ProjectContext,
  address: ExecutionAddress,
  body: CallbackBody,
): Promise<void> {
  authorize(ctx, 'run')
  const run = await addressedRun(ctx, address)
  const { sql } = ctx.services
  const [attempt] = await sql<{ id: string }[]>`
    select id from attempts
    where run_id = ${run.id} and organization_id = ${ctx.organizationId} and step_id = ${address.stepId ?? ''}
    order by state in ('running', 'waiting') desc, number desc limit 1`
  if (!attempt) throw notFound('call of this execution yet that could be reported on')
  await recordCallback(ctx.services, attempt.id, { ctx }, body)
}
