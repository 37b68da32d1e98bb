import { hasEnded, notFound, type Run, WorklyError } from '@workly/core'
import type { TransactionSql } from '@workly/db'
import { audit } from '../audit.ts'
import { authorize } from '../authorize.ts'
import { isGone } from '../container/until-gone.ts'
import { type ProjectContext, readClock } from '../context.ts'
import { admitWaiting } from './admit-waiting.ts'
import { endOpenRuns } from './end-open-runs.ts'
import { readRun } from './get-run.ts'
import { type LockedRun, lockRun } from './locked-run.ts'
import { releaseWaiting } from './release-waiting.ts'

export interface CancelOptions {
  /** Of a pipeline: cancels only while this step is running. */
  stepId?: string
}

export interface CancelledRun {
  run: Run
  /** Whether nothing of it goes on: false while a container of its is being removed, see `untilGone`. */
  isGone: boolean
}

/**
 * Cancels a run: a pending one never starts, a call in flight is aborted, a container is removed, for which `untilGone`
 * waits once this is committed (spec section 5). Of two at once one wins.
 * @throws WorklyError `not_found`, `run_finished`, `conflict` when the step is not the running one, `forbidden`
 */
export async function cancelRun(
  ctx: ProjectContext,
  id: string,
  options: CancelOptions = {},
): Promise<CancelledRun> {
  authorize(ctx, 'run')
  return ctx.services.sql.begin(async sql => {
    const run = await lockRun(sql, ctx, id)
    if (options.stepId !== undefined) await checkStep(sql, run, options.stepId)
    if (hasEnded(run.state))
      throw new WorklyError('run_finished', `The run has already ended: it is ${run.state}.`)
    const now = await readClock(ctx.services, sql)
    const ended = await endOpenRuns(sql, sql`id = ${id}`, `Cancelled by ${ctx.actor.name}.`, now)
    const gone = await isGone(sql, ctx.organizationId, id)
    if (!gone) await sql`update runs set cancel_requested_at = ${now} where id = ${id}`
    await sql`update jobs set runs_cancelled = runs_cancelled + 1 where id = ${run.job_id}`
    await audit(sql, ctx, now, {
      action: 'run.cancel',
      subject: { kind: 'run', id, name: run.job_name },
      projectId: ctx.projectId,
      before: { state: run.state },
      after: { state: 'cancelled' },
    })
    await admitWaiting(
      sql,
      ctx.services.limits,
      [ctx.projectId, ...(await releaseWaiting(sql, [run.job_id]))],
      now,
      ended,
    )
    return { run: await readRun(sql, ctx, id), isGone: gone }
  })
}

async function checkStep(sql: TransactionSql, run: LockedRun, stepId: string): Promise<void> {
  const [step] = await sql<{ state: string }[]>`
    select state from steps where run_id = ${run.id} and step_id = ${stepId}`
  if (!step) throw notFound('step with this id in this run')
  if (step.state === 'running') return
  throw new WorklyError(
    'conflict',
    `The step ${stepId} is not running: it is ${step.state.replace('_', ' ')}.`,
  )
}
