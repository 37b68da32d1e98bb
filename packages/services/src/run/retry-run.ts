import { hasEnded, invalid, type RetryRequest, type Run, WorklyError } from '@workly/core'
import type { TransactionSql } from '@workly/db'
import { audit } from '../audit.ts'
import { authorize } from '../authorize.ts'
import { type ProjectContext, readClock } from '../context.ts'
import { admitWaiting } from './admit-waiting.ts'
import { readRun } from './get-run.ts'
import { type LockedRun, lockRun } from './locked-run.ts'
import { putBack } from './put-back.ts'

/**
 * Puts a finished or skipped run back to pending with a fresh set of attempts: same id and scheduled time, earlier
 * attempts kept. A pipeline starts from its first step, or from the one that failed or was cancelled, and then earlier
 * steps keep their results. It then counts as a run by hand (spec section 5). Of two at once one wins.
 * @throws WorklyError `not_found`, `run_not_finished`, `forbidden`; `invalid_request` on `from_step` where no step failed
 */
export async function retryRun(ctx: ProjectContext, id: string, request: RetryRequest = {}): Promise<Run> {
  authorize(ctx, 'run')
  return ctx.services.sql.begin(async sql => {
    const run = await lockRun(sql, ctx, id)
    if (!hasEnded(run.state))
      throw new WorklyError('run_not_finished', `The run is ${run.state}; cancel it first.`)
    if (request.from_step) await checkFailedStep(sql, run)
    const now = await readClock(ctx.services, sql)
    const [open] = await sql<{ n: number }[]>`
      select count(*)::int as n from runs where job_id = ${run.job_id} and finished_at is null`
    const waits = run.overlap === 'queue' && (open?.n ?? 0) > 0
    const fromStep = request.from_step ?? 'first'
    await putBack(sql, [id], { by: 'manual', waitsForTurn: waits, fromStep }, now)
    await audit(sql, ctx, now, {
      action: 'run.retry',
      subject: { kind: 'run', id, name: run.job_name },
      projectId: ctx.projectId,
      before: { state: run.state },
      after: { state: 'pending', ...(run.step_count > 0 && { from_step: fromStep }) },
    })
    await admitWaiting(sql, ctx.services.limits, [ctx.projectId], now)
    return readRun(sql, ctx, id)
  })
}

async function checkFailedStep(sql: TransactionSql, run: LockedRun): Promise<void> {
  const refuse = (message: string) => invalid([{ field: 'from_step', message }])
  if (run.step_count === 0) throw refuse('The run is no pipeline; leave it out.')
  const [failed] = await sql`
    select 1 from steps where run_id = ${run.id} and state in ('failed', 'cancelled') limit 1`
  if (!failed) throw refuse('No step of the run has failed; leave it out to run all of them.')
}
