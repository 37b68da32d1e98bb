import { type FieldIssue, invalid, type JobPut, WorklyError } from '@workly/core'
import type { TransactionSql } from '@workly/db'
import { audit } from '../audit.ts'
import { freshId, type ProjectContext } from '../context.ts'
import { runByHand } from '../run/run-by-hand.ts'
import { wakeSchedulers } from '../schedule/wake-schedulers.ts'
import { ZONE_RULES } from '../schedule/zone-rules.ts'
import { auditableSettings } from './apply-settings.ts'
import { loadJob } from './job-row.ts'
import { type ProjectDefaults, readSettings } from './job-settings.ts'
import { projectRules } from './project-rules.ts'
import { referToSecrets, storeSecrets } from './stored-secrets.ts'
import { futureTime, storedSchedule } from './stored-settings.ts'
import { addRequestVersion, addScheduleVersion } from './write-versions.ts'

/** The caller holds the organization, so that two creates at once cannot both take the last place. */
async function checkJobCount(sql: TransactionSql, ctx: ProjectContext, most: number): Promise<void> {
  const [row] = await sql<{ n: number }[]>`
    select count(*)::int as n from jobs where organization_id = ${ctx.organizationId} and deleted_at is null`
  if (row && row.n >= most) {
    throw new WorklyError('limit_reached', `The organization has ${row.n} jobs; at most ${most} are allowed.`)
  }
}

/**
 * Creates a job in the caller's transaction; with `execute_now` also its first run, which counts as one by hand.
 * @param fill whether the project's own defaults stand in for what is not given, or Workly's
 * @returns true: something changed
 * @throws WorklyError `invalid_request`, `limit_reached`
 */
export async function createJob(
  sql: TransactionSql,
  ctx: ProjectContext,
  name: string,
  input: JobPut,
  fill: boolean,
  now: Date,
): Promise<boolean> {
  // Before the project is read: it may be deleted at this moment, which holds the organization too.
  await sql`select id from organizations where id = ${ctx.organizationId} for no key update`
  const { defaults: own, limits } = await projectRules(sql, ctx)
  const defaults: ProjectDefaults = fill ? own : {}
  const issues: FieldIssue[] = []
  const { rest, ...settings } = readSettings(input, defaults, ctx.services, limits, now.getTime(), issues)
  const nextRunAt = settings.schedule && futureTime(settings.schedule, now, issues)
  const { request, added } = await referToSecrets(sql, ctx, settings.request, undefined, limits, now, issues)
  if (issues.length > 0 || !settings.schedule) throw invalid(issues)
  await checkJobCount(sql, ctx, limits.jobs_per_organization)
  const id = freshId('job', now)
  await sql`
    insert into jobs ${sql({
      id,
      organization_id: ctx.organizationId,
      project_id: ctx.projectId,
      name,
      kind: request.kind,
      state: 'active',
      ...rest,
      next_run_at: nextRunAt,
      zone_rules: ZONE_RULES,
      created_at: now,
      updated_at: now,
    })}`
  await storeSecrets(sql, ctx, id, added, now)
  const schedule = storedSchedule(settings.schedule, now)
  await addRequestVersion(sql, ctx, id, request, now)
  await addScheduleVersion(sql, ctx, id, schedule, now)
  await audit(sql, ctx, now, {
    action: 'job.create',
    subject: { kind: 'job', id, name },
    projectId: ctx.projectId,
    after: auditableSettings({ schedule, request, rest }),
  })
  if (input.execute_now) await runByHand(sql, ctx, await loadJob(sql, ctx, name), 'execute_now', now)
  await wakeSchedulers(sql)
  return true
}
