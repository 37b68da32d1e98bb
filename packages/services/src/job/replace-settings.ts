import type { JobPut } from '@workly/core'
import type { TransactionSql } from '@workly/db'
import { audit } from '../audit.ts'
import type { ProjectContext } from '../context.ts'
import { applySettings } from './apply-settings.ts'
import type { JobRow } from './job-row.ts'
import { type ProjectDefaults, readSettings } from './job-settings.ts'
import { projectRules } from './project-rules.ts'
import { settleJob } from './settle-job.ts'
import { referToSecrets, storeSecrets } from './stored-secrets.ts'
import { storedSchedule } from './stored-settings.ts'

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
  const settings = readSettings(input, defaults, ctx.services, rules.limits, found.created_at.getTime())
  const { request, added } = await referToSecrets(sql, ctx, settings.request, found.request, now)
  const row = await settleJob(sql, ctx.services, found, now)
  const { schedule, request: _, ...rest } = settings
  const stored = { schedule: storedSchedule(schedule, found.created_at), request, rest }
  await storeSecrets(sql, ctx, row.id, added, now)
  const change = await applySettings(sql, ctx, row, stored, schedule, now)
  if (!change) return false
  await audit(sql, ctx, now, {
    action: 'job.update',
    subject: { kind: 'job', id: row.id, name: row.name },
    projectId: ctx.projectId,
    ...change,
  })
  return true
}
