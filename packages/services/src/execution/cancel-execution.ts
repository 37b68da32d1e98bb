import { hasEnded, WorklyError } from '@workly/core'
import { authorize } from '../authorize.ts'
import type { ProjectContext } from '../context.ts'
import { type CancelledRun, cancelRun } from '../run/cancel-run.ts'
import { addressedRun, type ExecutionAddress } from './addressed-run.ts'

/**
 * Cancels a run while what its address names is running: the step of a pipeline, or the one thing that it does.
 * @throws WorklyError `not_found`, `conflict` or `run_finished` when it is not running, `forbidden`
 */
export async function cancelExecution(ctx: ProjectContext, address: ExecutionAddress): Promise<CancelledRun> {
  authorize(ctx, 'run')
  const { id, state } = await addressedRun(ctx, address)
  if (address.stepId !== null) return cancelRun(ctx, id, { stepId: address.stepId })
  // One that has ended is told so by the verb, which holds its lock.
  if (!hasEnded(state) && state !== 'running')
    throw new WorklyError('conflict', `The execution is not running: it is ${state}.`)
  return cancelRun(ctx, id)
}
