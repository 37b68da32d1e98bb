import { type FieldIssue, invalid, type JobPut } from '@workly/core'
import type { TransactionSql } from '@workly/db'
import { audit } from '../audit.ts'
import type { ProjectContext } from '../context.ts'
import { lockNotBegun } from '../run/queue-runs.ts'
import { applySettings } from './apply-settings.ts'
import type { JobRow } from './job-row.ts'
import { type ProjectDefaults, readSettings } from './job-settings.ts'
import { projectRules } from './project-rules.ts'
import { settleJob } from './settle-job.ts'
import { referToSecrets, storeSecrets } from './stored-secrets.ts'
import { futureTime, sameSettings, settingsOfRow, storedSchedule } from './stored-settings.ts'

/**
 * Sets a locked job to exactly what `input` says: settles its due times under the old settings first, then applies.
 * @param fill whether the project's own defaults stand in for what is not given (a PUT), or Workly's (a PATCH, whose
 * input holds every setting already)
 * @returns false when the job was set so already; nothing was written then
 * @throws WorklyError `invalid_request`
 */
export async function replaceSettings(
  sql: TransactionSql,
  ctx: ProjectContext,
  found: JobRow,
  input: JobPut,
  fill: boolean,
  now: Date,
): Promise<boolean> {
  const rules = await projectRules(sql, ctx)
  const defaults: ProjectDefaults = fill ? rules.defaults : {}
  const issues: FieldIssue[] = []
  const {
    schedule,
    request: draft,
    rest,
  } = readSettings(input, defaults, ctx.services, rules.limits, found.created_at.getTime(), issues)
  const stored = schedule && storedSchedule(schedule, found.created_at)
  // An identical schedule is taken also when its times have run out.
  const changed = stored !== null && !sameSettings(stored, settingsOfRow(found).schedule)
  const next = schedule && changed ? futureTime(schedule, now, issues) : null
  const { request, added } = await referToSecrets(sql, ctx, draft, found.request, rules.limits, now, issues)
  if (issues.length > 0 || !stored) throw invalid(issues)
  if (rest.overlap === 'queue' && found.overlap !== 'queue') await lockNotBegun(sql, found.id)
  const row = await settleJob(sql, ctx.services, found, now)
  await storeSecrets(sql, ctx, row.id, added, now)
  const change = await applySettings(sql, ctx, row, { schedule: stored, request, rest }, next, now)
  if (!change) return false
  await audit(sql, ctx, now, {
    action: 'job.update',
    subject: { kind: 'job', id: row.id, name: row.name },
    projectId: ctx.projectId,
    ...change,
  })
  return true
}
