import { JOB_NAME, type JobListItem, notFound, type RunState, type WorklyError } from '@workly/core'
import type { Sql, TransactionSql } from '@workly/db'
import { clockWithin, type ProjectContext } from '../context.ts'
import type { StoredSchedule } from '../schedule/stored-schedule.ts'
import { wireInstant, wireInstantOrNull } from '../wire-instant.ts'
import { requestSettings } from './shown-request.ts'
import type { StoredRequest } from './stored-request.ts'

/** A job with its present schedule and request, as the verbs read it. */
export interface JobRow extends StoredSchedule {
  id: string
  organization_id: string
  project_id: string
  name: string
  kind: 'http' | 'image' | 'pipeline'
  state: 'active' | 'paused' | 'completed'
  description: string
  tags: string[]
  request_version_id: string
  schedule_version_id: string
  request: StoredRequest
  host: string
  max_attempts: number
  min_backoff_seconds: number
  max_backoff_seconds: number
  backoff_multiplier: number
  retry_on_4xx: boolean
  overlap: 'skip' | 'queue' | 'allow'
  missed: 'skip' | 'catch_up'
  next_run_at: Date | null
  revision: number
  created_at: Date
  updated_at: Date
  last_run_id: string | null
  last_run_state: RunState | null
  last_run_scheduled_for: Date | null
  last_run_finished_at: Date | null
}

/** Columns of a JobRow but the latest run's, over `jobs j`, `schedule_versions s` and `request_versions v`. */
export const jobColumns = (sql: Sql | TransactionSql) => sql`
  j.id, j.organization_id, j.project_id, j.name, j.kind, j.state, j.description, j.tags, j.request_version_id,
  j.schedule_version_id, j.max_attempts, j.min_backoff_seconds, j.max_backoff_seconds, j.backoff_multiplier,
  j.retry_on_4xx, j.overlap, j.missed, j.next_run_at, j.revision, j.created_at, j.updated_at,
  s.cron, s.dialect, s.interval_minutes, s.at, s.timezone, s.from_at, s.to_at, s.anchor_at, v.request, v.host`

/** The latest run of each job `j`; ids are time-ordered, so the greatest is the latest made. */
export const latestRun = (sql: Sql | TransactionSql) => sql`
  left join lateral (
    select id as last_run_id, state as last_run_state, scheduled_for as last_run_scheduled_for,
      finished_at as last_run_finished_at
    from runs where runs.job_id = j.id order by id collate "C" desc limit 1
  ) latest on true`

/**
 * A job of the actor's project by its name.
 * @param lock takes the job row's lock, which every write to a job holds
 * @throws WorklyError `not_found`
 */
export async function loadJob(
  sql: Sql | TransactionSql,
  ctx: ProjectContext,
  name: string,
  lock = false,
): Promise<JobRow> {
  const row = await findJob(sql, ctx, name, lock)
  if (!row) throw noSuchJob(name)
  return row
}

/**
 * As {@link loadJob}, with the clock: one question in place of two, for what is asked most.
 * @throws WorklyError `not_found`
 */
export async function loadJobNow(ctx: ProjectContext, name: string): Promise<{ row: JobRow; now: Date }> {
  const { services } = ctx
  const { sql } = services
  if (!JOB_NAME.test(name)) throw noSuchJob(name)
  const [found] = await sql<(JobRow & { now: Date })[]>`
    select job.*, date_trunc('milliseconds', ${clockWithin(services, sql)}) as now
    from (${jobWhere(sql, named(sql, ctx, name))}) job`
  if (!found) throw noSuchJob(name)
  const { now, ...row } = found
  return { row, now }
}

/** 404: there is no job of that name in the actor's project. */
export function noSuchJob(name: string): WorklyError {
  return notFound(`job named ${JSON.stringify(name.slice(0, 100))} in this project`)
}

/** As {@link loadJob}, or undefined where there is none. */
export async function findJob(
  sql: Sql | TransactionSql,
  ctx: ProjectContext,
  name: string,
  lock = false,
): Promise<JobRow | undefined> {
  if (!JOB_NAME.test(name)) return undefined
  const which = named(sql, ctx, name)
  if (!lock) return readJob(sql, which)
  for (;;) {
    // Locked by a statement of its own: a row that another write has just moved on would otherwise be joined with
    // versions that the first snapshot does not see, and seem to be gone.
    const [locked] = await sql<{ id: string }[]>`select j.id from jobs j where ${which} for no key update`
    if (locked) return readJob(sql, sql`j.id = ${locked.id}`)
    // The one waited for may be deleted by now, and another of its name be made, which is then not locked yet.
    const [other] = await sql`select 1 from jobs j where ${which}`
    if (!other) return undefined
  }
}

type Condition = ReturnType<typeof jobColumns>

/** The job of that name that is not deleted, over `jobs j`. */
function named(sql: Sql | TransactionSql, ctx: ProjectContext, name: string): Condition {
  return sql`j.organization_id = ${ctx.organizationId} and j.project_id = ${ctx.projectId} and j.name = ${name}
    and j.deleted_at is null`
}

function jobWhere(sql: Sql | TransactionSql, which: Condition) {
  return sql<JobRow[]>`
    select ${jobColumns(sql)}, latest.*
    from jobs j
    join schedule_versions s on s.id = j.schedule_version_id
    join request_versions v on v.id = j.request_version_id
    ${latestRun(sql)}
    where ${which}`
}

async function readJob(sql: Sql | TransactionSql, which: Condition): Promise<JobRow | undefined> {
  const [row] = await jobWhere(sql, which)
  return row
}

const instant = wireInstantOrNull

/** A job as lists show it. */
export function jobListItem(row: JobRow): JobListItem {
  return {
    id: row.id,
    name: row.name,
    kind: row.kind,
    state: row.state,
    description: row.description,
    tags: row.tags,
    cron: row.cron,
    interval_minutes: row.interval_minutes,
    at: instant(row.at),
    timezone: row.timezone,
    dialect: row.dialect,
    from: instant(row.from_at),
    to: instant(row.to_at),
    ...requestSettings(row.request),
    max_attempts: row.max_attempts,
    min_backoff_seconds: row.min_backoff_seconds,
    max_backoff_seconds: row.max_backoff_seconds,
    backoff_multiplier: row.backoff_multiplier,
    retry_on_4xx: row.retry_on_4xx,
    overlap: row.overlap,
    missed: row.missed,
    next_run_at: instant(row.next_run_at),
    last_run:
      row.last_run_id && row.last_run_state && row.last_run_scheduled_for
        ? {
            id: row.last_run_id,
            state: row.last_run_state,
            scheduled_for: wireInstant(row.last_run_scheduled_for),
            finished_at: instant(row.last_run_finished_at),
          }
        : null,
    created_at: wireInstant(row.created_at),
    updated_at: wireInstant(row.updated_at),
  }
}
