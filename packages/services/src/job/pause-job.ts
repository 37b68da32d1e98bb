import { WorklyError } from '@workly/core'
import { audit } from '../audit.ts'
import { authorize } from '../authorize.ts'
import { freshId, type ProjectContext, readClock } from '../context.ts'
import { compileStored } from '../schedule/stored-schedule.ts'
import { wakeSchedulers } from '../schedule/wake-schedulers.ts'
import { ZONE_RULES } from '../schedule/zone-rules.ts'
import { resumedState } from './apply-settings.ts'
import { loadJob } from './job-row.ts'
import { type ShownJob, showJob } from './job-view.ts'
import { type Condition, loadForWrite } from './precondition.ts'
import { settleJob } from './settle-job.ts'

/**
 * Stops a job from running: what has become due is settled first and pending runs finish; times that pass while it is
 * paused are not run (spec section 5). Pausing a paused job changes nothing.
 * @throws WorklyError `not_found`, `job_completed`, `precondition_failed`, `forbidden`
 */
export async function pauseJob(
  ctx: ProjectContext,
  name: string,
  condition: Condition = {},
): Promise<ShownJob> {
  authorize(ctx, 'run')
  return ctx.services.sql.begin(async sql => {
    const found = await loadForWrite(sql, ctx, name, condition)
    const now = await readClock(ctx.services, sql)
    const row = await settleJob(sql, ctx.services, found, now)
    if (row.state === 'completed')
      throw new WorklyError('job_completed', 'The job has no times left that a pause could stop.')
    if (row.state !== 'paused') {
      await sql`
        update jobs set state = 'paused', next_run_at = null, revision = revision + 1, updated_at = ${now}
        where id = ${row.id}`
      await sql`
        insert into pause_intervals (id, organization_id, job_id, paused_at)
        values (${freshId('pauseInterval', now)}, ${ctx.organizationId}, ${row.id}, ${now})`
      await audit(sql, ctx, now, {
        action: 'job.pause',
        subject: { kind: 'job', id: row.id, name: row.name },
        projectId: ctx.projectId,
        before: { state: row.state },
        after: { state: 'paused' },
      })
    }
    return showJob(ctx.services, await loadJob(sql, ctx, name), now)
  })
}

/**
 * Starts a paused job again from its next time; one whose times have run out becomes completed. Resuming a job that is
 * not paused changes nothing.
 * @throws WorklyError `not_found`, `precondition_failed`, `forbidden`
 */
export async function resumeJob(
  ctx: ProjectContext,
  name: string,
  condition: Condition = {},
): Promise<ShownJob> {
  authorize(ctx, 'run')
  return ctx.services.sql.begin(async sql => {
    const row = await loadForWrite(sql, ctx, name, condition)
    const now = await readClock(ctx.services, sql)
    if (row.state === 'paused') {
      const { state, nextRunAt } = resumedState(compileStored(row), now)
      await sql`
        update jobs set state = ${state}, next_run_at = ${nextRunAt}, zone_rules = ${ZONE_RULES}, revision = revision + 1,
          updated_at = ${now}
        where id = ${row.id}`
      await sql`update pause_intervals set resumed_at = ${now} where job_id = ${row.id} and resumed_at is null`
      await audit(sql, ctx, now, {
        action: 'job.resume',
        subject: { kind: 'job', id: row.id, name: row.name },
        projectId: ctx.projectId,
        before: { state: 'paused' },
        after: { state },
      })
      await wakeSchedulers(sql)
    }
    return showJob(ctx.services, await loadJob(sql, ctx, name), now)
  })
}
