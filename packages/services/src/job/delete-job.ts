import { audit } from '../audit.ts'
import { authorize } from '../authorize.ts'
import { removeContainers } from '../container/remove-containers.ts'
import { type ProjectContext, readClock } from '../context.ts'
import { admitWaiting } from '../run/admit-waiting.ts'
import { tellToAbort } from '../run/end-open-runs.ts'
import { auditableSettings } from './apply-settings.ts'
import { endRunsOfDeletedJob } from './end-deleted-runs.ts'
import { type Condition, loadForWrite } from './precondition.ts'
import { settingsOfRow } from './stored-settings.ts'

/**
 * Deletes a job at once: its name is free, nothing more is delivered, its containers are removed, late results are
 * refused. Of very many open runs most end in batches behind it, and its rows go in batches too, the handles of its
 * containers when those are gone (spec section 5).
 * @throws WorklyError `not_found`, `precondition_failed`, `forbidden`
 */
export async function deleteJob(ctx: ProjectContext, name: string, condition: Condition = {}): Promise<void> {
  authorize(ctx, 'write')
  await ctx.services.sql.begin(async sql => {
    const row = await loadForWrite(sql, ctx, name, condition)
    const now = await readClock(ctx.services, sql)
    await sql`
      update jobs set deleted_at = ${now}, next_run_at = null, updated_at = ${now}, revision = revision + 1
      where id = ${row.id}`
    await sql`update schedule_versions set valid_to = ${now} where job_id = ${row.id} and valid_to is null`
    const ended = await endRunsOfDeletedJob(sql, row.id, now)
    // Those that ended runs have left to their exit.
    await tellToAbort(
      sql,
      await removeContainers(sql, sql`project_id = ${row.project_id} and job_id = ${row.id}`, now),
    )
    await audit(sql, ctx, now, {
      action: 'job.delete',
      subject: { kind: 'job', id: row.id, name: row.name },
      projectId: ctx.projectId,
      before: auditableSettings(settingsOfRow(row)),
    })
    await admitWaiting(sql, ctx.services.limits, [row.project_id], now, ended)
  })
}
