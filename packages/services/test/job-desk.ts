import type { JobPut, RunState } from '@workly/core'
import type { ProjectContext } from '../src/context.ts'
import { putJob } from '../src/job/put-job.ts'
import { claimDue } from '../src/schedule/claim-due.ts'
import { fresh, makeTenant, openServices, type TestServices } from './tenants.ts'

/** Everything a test of jobs and runs needs: a database, a clock moved by hand, one project and its owner. */
export interface Desk extends TestServices {
  ctx: ProjectContext
  /** Puts a job that calls https://target.example/ every day at 03:00 UTC, unless told otherwise. */
  job(settings?: Partial<JobPut>, name?: string): Promise<string>
  /** Sets the clock. */
  at(instant: string): void
  /** Claims everything that is due. */
  tick(): Promise<number>
  /** Runs of a job in the order of their scheduled times. */
  runs(name: string): Promise<RunRecord[]>
  run(id: string): Promise<RunRecord>
  attempts(runId: string): Promise<AttemptRecord[]>
  /** Ends everything that is going, so that the test at hand starts with free slots and nothing due. */
  clear(): Promise<void>
}

/** A run as its row stands. */
export interface RunRecord {
  id: string
  state: RunState
  skip_reason: string | null
  trigger: string
  set_going_by: string
  scheduled_for: Date
  created_at: Date
  started_at: Date | null
  finished_at: Date | null
  next_attempt_at: Date | null
  due_at: Date | null
  waits_for_turn: boolean
  slot_host: string | null
  task_number: number
  attempts_made: number
  attempts_counted: number
  lost_in_a_row: number
  error_class: string | null
  error_message: string | null
  request_version_id: string
}

export interface AttemptRecord {
  id: string
  number: number
  state: string
  worker_id: string
  fence: number
  error_class: string | null
  error_message: string | null
  next_attempt_at: Date | null
  next_attempt_reason: string | null
  late_result: Record<string, unknown> | null
  response_status: number | null
}

export const DAILY = { cron: '0 3 * * *', url: 'https://target.example/' } as const

export async function openDesk(): Promise<Desk> {
  const test = await openServices()
  const { services, sql } = test
  const ctx = (await makeTenant(services)).as('owner')
  return {
    ...test,
    ctx,
    async job(settings = {}, name = fresh('job')) {
      const { cron, ...rest } = DAILY
      const timed = settings.interval_minutes !== undefined || settings.at !== undefined
      await putJob(ctx, name, { ...rest, ...(!timed && { cron }), ...settings })
      return name
    },
    at(instant) {
      test.advance(Date.parse(instant) - test.now().getTime())
    },
    async tick() {
      let claimed = 0
      for (;;) {
        const n = await claimDue(services, 500)
        claimed += n
        if (n === 0) return claimed
      }
    },
    async runs(name) {
      return sql<RunRecord[]>`
        select r.* from runs r join jobs j on j.id = r.job_id
        where j.name = ${name} and j.deleted_at is null order by r.scheduled_for`
    },
    async run(id) {
      const [row] = await sql<RunRecord[]>`select * from runs where id = ${id}`
      if (!row) throw new Error(`there is no run ${id}`)
      return row
    },
    async attempts(runId) {
      return sql<AttemptRecord[]>`select * from attempts where run_id = ${runId} order by number`
    },
    async clear() {
      await sql`update jobs set next_run_at = null where next_run_at is not null`
      await sql`
        update attempts set state = 'cancelled', error_class = 'cancelled', finished_at = started_at
        where finished_at is null`
      await sql`
        update runs set state = 'cancelled', finished_at = created_at, due_at = null, next_attempt_at = null,
          slot_host = null, admitted_at = null, waits_for_turn = false, current_attempt_id = null
        where finished_at is null`
      await sql`update container_handles set gone_at = created_at where gone_at is null`
      await sql`delete from graphile_worker._private_jobs`
      await sql`update workers set stopped_at = started_at where stopped_at is null`
    },
  }
}

/** `state` or `skipped/reason`, for tests that tell what became of each time. */
export function outcome(run: { state: string; skip_reason: string | null }): string {
  return run.skip_reason === null ? run.state : `${run.state}/${run.skip_reason}`
}
