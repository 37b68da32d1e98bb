import { hasEnded, type Run, WorklyError } from '@workly/core'
import { audit } from '../audit.ts'
import { authorize } from '../authorize.ts'
import { type ProjectContext, readClock } from '../context.ts'
import { admitWaiting } from './admit-waiting.ts'
import { endOpenRuns } from './end-open-runs.ts'
import { readRun } from './get-run.ts'
import { lockRun } from './locked-run.ts'
import { releaseWaiting } from './release-waiting.ts'

/**
 * Cancels a run: a pending one never starts, a call in flight is aborted (spec section 5). Of two at once one wins.
 * @throws WorklyError `not_found`, `run_finished`, `forbidden`
 */
export async function cancelRun(ctx: ProjectContext, id: string): Promise<Run> {
  authorize(ctx, 'run')
  return ctx.services.sql.begin(async sql => {
    const run = await lockRun(sql, ctx, id)
    if (hasEnded(run.state))
      throw new WorklyError('run_finished', `The run has already ended: it is ${run.state}.`)
    const now = await readClock(ctx.services, sql)
    const ended = await endOpenRuns(sql, sql`id = ${id}`, `Cancelled by ${ctx.actor.name}.`, now)
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
    return readRun(sql, ctx, id)
  })
}
