import { type HeldRun, heldColumns, withStepRetry } from '../attempt/held-run.ts'
import { conclude, type FinishedCall, withoutResponse } from '../attempt/outcome.ts'
import { settleOutcomes } from '../attempt/settle-outcomes.ts'
import { clockWithin, readClock, type Services } from '../context.ts'

const MESSAGE = 'No callback came within the longest wait.'

/**
 * Fails waits for callbacks that have run out, up to `limit` in one transaction. A wait costs a row and nothing else: no
 * worker holds it, so any worker ends it.
 * @returns how many were failed
 */
export async function expireWaits(services: Services, limit: number): Promise<number> {
  if (!(await hasRunOut(services))) return 0
  return services.sql.begin(async sql => {
    const now = await readClock(services, sql)
    const due = await sql<{ run_id: string; job_id: string }[]>`
      select a.run_id, r.job_id from attempts a join runs r on r.id = a.run_id
      where a.state = 'waiting' and a.callback_deadline <= ${now} order by a.callback_deadline limit ${limit}`
    if (due.length === 0) return 0
    await sql`select id from jobs where id = any(${due.map(d => d.job_id)}) order by id for no key update`
    await sql`select id from runs where id = any(${due.map(d => d.run_id)}) order by id for no key update`
    // Read again under the locks: a callback or a cancel may have been first.
    const rows = await sql<HeldRun[]>`
      select ${heldColumns(sql)}, null as start_delay_ms
      from attempts a join runs r on r.id = a.run_id and r.current_attempt_id = a.id join jobs j on j.id = r.job_id
      join request_versions v on v.id = r.request_version_id
      where a.run_id = any(${due.map(d => d.run_id)}) and a.state = 'waiting' and a.callback_deadline <= ${now}`
    const held = rows.map(withStepRetry)
    const outcomes = held.map(run => conclude(timedOut(run, now), run, now))
    await sql`
      update attempts set state = 'failed', finished_at = ${now}, error_class = 'callback_timeout',
        error_message = ${MESSAGE}
      where id = any(${held.map(run => run.attempt_id)})`
    await settleOutcomes(sql, services, outcomes, now)
    return held.length
  })
}

/** Most often no wait has, which is seen without a transaction: each worker looks every second. */
async function hasRunOut(services: Services): Promise<boolean> {
  const { sql } = services
  const found = await sql`
    select from attempts where state = 'waiting' and callback_deadline <= (select ${clockWithin(services, sql)}) limit 1`
  return found.length > 0
}

/** The class is never retried, so its run ends. */
function timedOut(run: HeldRun, now: Date): FinishedCall {
  return {
    attemptId: run.attempt_id,
    runId: run.run_id,
    fence: run.fence,
    finishedAt: now,
    result: withoutResponse('callback_timeout', MESSAGE),
  }
}
