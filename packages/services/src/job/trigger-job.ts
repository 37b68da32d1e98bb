import type { Run } from '@workly/core'
import { audit } from '../audit.ts'
import { authorize } from '../authorize.ts'
import { type ProjectContext, readClock } from '../context.ts'
import { readRun } from '../run/get-run.ts'
import { runByHand } from '../run/run-by-hand.ts'
import { loadJob } from './job-row.ts'
import { settleJob } from './settle-job.ts'

/**
 * Run now: also while the job is paused or completed; the schedule does not move (spec section 5).
 * @throws WorklyError `not_found`, `forbidden`
 */
export async function triggerJob(ctx: ProjectContext, name: string): Promise<Run> {
  authorize(ctx, 'run')
  return ctx.services.sql.begin(async sql => {
    const found = await loadJob(sql, ctx, name, true)
    const now = await readClock(ctx.services, sql)
    const row = await settleJob(sql, ctx.services, found, now)
    const runId = await runByHand(sql, ctx, row, 'manual', now)
    await audit(sql, ctx, now, {
      action: 'job.trigger',
      subject: { kind: 'job', id: row.id, name: row.name },
      projectId: ctx.projectId,
      after: { run: runId },
    })
    return readRun(sql, ctx, runId)
  })
}
