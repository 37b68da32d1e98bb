import { newId, type RunState, type RunTrigger } from '@workly/core'
import type { Sql, TransactionSql } from '@workly/db'
import { inProject, writtenLimit } from '../cursor.ts'
import { isOfKind } from '../execution/run-kind.ts'
import { type RunRow, runColumns } from './run-row.ts'

type Condition = ReturnType<typeof runColumns>
type AnySql = Sql | TransactionSql

/** Which runs, and how many. */
export interface WantedRuns {
  organizationId: string
  projectId: string
  jobId: string | null
  state: RunState | undefined
  trigger: RunTrigger | undefined
  kind?: 'http' | 'image' | 'pipeline' | undefined
  /** Bounds on the scheduled time, both included. */
  from: Date | null
  to: Date | null
  /** The last id of the page before. */
  after: string | null
  limit: number
}

/**
 * States as the partial indexes of the migration list_order have them: written out, since a parameter would not be
 * found in them, and with what is true of every run in that state (a run that failed or was cancelled has a class of
 * error, one that was skipped a reason).
 */
const STATES: Record<RunState, (sql: AnySql) => Condition> = {
  pending: sql => sql`r.finished_at is null and r.state = 'pending'`,
  running: sql => sql`r.finished_at is null and r.state = 'running'`,
  succeeded: sql => sql`r.state = 'succeeded'`,
  failed: sql => sql`r.finished_at is not null and r.error_class <> 'cancelled' and r.state = 'failed'`,
  cancelled: sql => sql`r.finished_at is not null and r.error_class = 'cancelled' and r.state = 'cancelled'`,
  skipped: sql => sql`r.skip_reason is not null and r.state = 'skipped'`,
}

/** How long after its scheduled time a run is made late; the index runs_made_late says the same. */
const LATE_MS = 3_600_000
/** An id's time and the row's are taken from one clock, at the same instant; this is for the doubt. */
const DOUBT_MS = 60_000

/** The least id that a run made at that instant can have. */
function idAt(ms: number): string {
  return newId('run', Math.min(Math.max(0, ms), 2 ** 48 - 1), new Uint8Array(10))
}

/**
 * A page of runs, the newest first: the order of the indexes runs_of_project and runs_of_job, which the primary key has
 * not (see the migration list_order).
 *
 * Ids tell when runs were made, so bounds on the scheduled time become bounds on the id, and the page starts where its
 * runs are instead of walking there: no run is made before its time, and those made long after it (missed times, a
 * backfill) are looked up apart.
 */
export function runsPage(sql: AnySql, wanted: WantedRuns): Promise<RunRow[]> {
  const { jobId, state, trigger, kind, from, to, after, limit } = wanted
  const page = (more: Condition) => sql`
    select ${runColumns(sql)} from runs r join jobs j on j.id = r.job_id
    where ${inProject(sql, 'r', wanted)} and ${jobId === null ? sql`j.deleted_at is null` : sql`r.job_id = ${jobId}`}
      ${state ? sql`and ${STATES[state](sql)}` : sql``}
      ${trigger && trigger !== 'schedule' ? sql`and r.trigger <> 'schedule'` : sql``}
      ${trigger ? sql`and r.trigger = ${trigger}` : sql``}
      ${kind ? sql`and ${isOfKind(sql, kind)}` : sql``}
      ${from ? sql`and case when r.scheduled_for >= ${from} then true else false end and r.id collate "C" >= ${idAt(from.getTime() - DOUBT_MS)}` : sql``}
      ${to ? sql`and case when r.scheduled_for <= ${to} then true else false end` : sql``}
      ${after === null ? sql`` : sql`and r.id collate "C" < ${after}`}
      ${more}
    order by r.id collate "C" desc limit ${writtenLimit(sql, limit)}`
  if (to === null) return sql<RunRow[]>`${page(sql``)}`
  const bound = idAt(to.getTime() + LATE_MS + DOUBT_MS)
  return sql<RunRow[]>`
    select * from (
      (${page(sql`and r.id collate "C" < ${bound}`)})
      union all
      (${page(sql`and r.id collate "C" >= ${bound} and r.created_at - r.scheduled_for > '1 hour'`)})
    ) r order by r.id collate "C" desc limit ${writtenLimit(sql, limit)}`
}
