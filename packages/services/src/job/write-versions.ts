import type { TransactionSql } from '@workly/db'
import { type Context, freshId } from '../context.ts'
import type { StoredSchedule } from '../schedule/stored-schedule.ts'
import { hostOf, type StoredRequest } from './stored-request.ts'

/** Adds a version of what the job sends, and makes it the present one. Runs keep the version they were made with. */
export async function addRequestVersion(
  sql: TransactionSql,
  ctx: Context,
  jobId: string,
  request: StoredRequest,
  now: Date,
): Promise<void> {
  const id = freshId('requestVersion', now)
  await sql`
    insert into request_versions (id, organization_id, job_id, request, host, created_at)
    values (${id}, ${ctx.organizationId}, ${jobId}, ${sql.json(request as never)}, ${hostOf(request)}, ${now})`
  await sql`update jobs set request_version_id = ${id} where id = ${jobId}`
}

/** Ends the job's present schedule version at `now` and begins the next; the ledger reads them. */
export async function addScheduleVersion(
  sql: TransactionSql,
  ctx: Context,
  jobId: string,
  schedule: StoredSchedule,
  now: Date,
): Promise<void> {
  const id = freshId('scheduleVersion', now)
  await sql`update schedule_versions set valid_to = ${now} where job_id = ${jobId} and valid_to is null`
  await sql`
    insert into schedule_versions ${sql({
      id,
      organization_id: ctx.organizationId,
      job_id: jobId,
      cron: schedule.cron,
      dialect: schedule.dialect,
      interval_minutes: schedule.interval_minutes,
      at: schedule.at,
      timezone: schedule.timezone,
      from_at: schedule.from_at,
      to_at: schedule.to_at,
      anchor_at: schedule.anchor_at,
      valid_from: now,
      valid_to: null,
    })}`
  await sql`update jobs set schedule_version_id = ${id} where id = ${jobId}`
}
