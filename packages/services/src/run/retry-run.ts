import { hasEnded, type Run, WorklyError } from '@workly/core'
import { audit } from '../audit.ts'
import { authorize } from '../authorize.ts'
import { type ProjectContext, readClock } from '../context.ts'
import { admitWaiting } from './admit-waiting.ts'
import { readRun } from './get-run.ts'
import { lockRun } from './locked-run.ts'

/**
 * Puts a finished or skipped run back to pending with a fresh set of attempts: same id and scheduled time, earlier
 * attempts kept. It then counts as a run by hand (spec section 5). Of two at once one wins.
 * @throws WorklyError `not_found`, `run_not_finished`, `forbidden`
 */
export async function retryRun(ctx: ProjectContext, id: string): Promise<Run> {
  authorize(ctx, 'run')
  return ctx.services.sql.begin(async sql => {
    const run = await lockRun(sql, ctx, id)
    if (!hasEnded(run.state))
      throw new WorklyError('run_not_finished', `The run is ${run.state}; cancel it first.`)
    const now = await readClock(ctx.services, sql)
    const [open] = await sql<{ n: number }[]>`
      select count(*)::int as n from runs where job_id = ${run.job_id} and state in ('pending', 'running')`
    const waits = run.overlap === 'queue' && (open?.n ?? 0) > 0
    await sql`
      update runs set state = 'pending', put_back = true, skip_reason = null, finished_out_of_time = false,
        late_result = null, started_at = null, finished_at = null, error_class = null, error_message = null,
        cancel_requested_at = null, attempts_counted = 0, lost_in_a_row = 0, set_going_by = 'manual',
        admission_rank = 0, pending_at = ${now}, due_at = ${now}, waits_for_turn = ${waits}
      where id = ${id}`
    await audit(sql, ctx, now, {
      action: 'run.retry',
      subject: { kind: 'run', id, name: run.job_name },
      projectId: ctx.projectId,
      before: { state: run.state },
      after: { state: 'pending' },
    })
    await admitWaiting(sql, ctx.services.limits, [ctx.projectId], now)
    return readRun(sql, ctx, id)
  })
}
