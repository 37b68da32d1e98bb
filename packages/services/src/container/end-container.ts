import type { AttemptClass } from '@workly/core'
import type { TransactionSql } from '@workly/db'
import { type HeldRun, heldColumns, withStepRetry } from '../attempt/held-run.ts'
import { conclude, type FinishedCall, withoutResponse } from '../attempt/outcome.ts'
import { settleOutcomes } from '../attempt/settle-outcomes.ts'
import type { Services } from '../context.ts'

/** What became of a container, secrets masked already. */
export interface ContainerEnd {
  class: 'ok' | AttemptClass
  message: string | null
  exitCode: number | null
  log: string | null
  logTruncated: boolean
  /** Only with `executor`: it refused for good, so asking again is no use. */
  refused: boolean
}

/** A run that waits for its container. */
interface HeldContainer extends HeldRun {
  attempt_started_at: Date
  max_wait_seconds: number | null
  callback_received_at: Date | null
}

interface Handle {
  attempt_id: string
  removing_since: Date | null
}

/**
 * Writes how a container ended, and what follows for its attempt if that is still open (spec section 3): an exit
 * with 0 succeeds it where no callback is waited for, and leaves it waiting where one is; anything else fails it. Of an
 * attempt that a callback, the end of its wait or a cancel has ended, only code and log are kept. From then on the
 * container is to be removed.
 * @param now the worker's reading of the database's clock
 * @returns false when another worker watches it by now, or it is gone: nothing is written then
 */
export async function endContainer(
  services: Services,
  workerId: string,
  handleId: string,
  end: ContainerEnd,
  now: Date,
): Promise<boolean> {
  return services.sql.begin(async sql => {
    const run = sql`select run_id from container_handles where id = ${handleId}`
    await sql`select id from jobs where id = (select job_id from container_handles where id = ${handleId}) for no key update`
    await sql`select id from runs where id = (${run}) for no key update`
    const [handle] = await sql<Handle[]>`
      select attempt_id, removing_since from container_handles
      where id = ${handleId} and worker_id = ${workerId} and gone_at is null for no key update`
    if (!handle) return false
    await keepEnd(sql, handle.attempt_id, end)
    // The first word counts: what is being removed ends one way or another.
    if (handle.removing_since !== null) return true
    await sql`update container_handles set removing_since = ${now} where id = ${handleId}`
    const held = await readHeld(sql, handle.attempt_id)
    const goesOnWaiting = end.class === 'ok' && held?.max_wait_seconds != null
    if (held && !goesOnWaiting) await endAttempt(sql, services, held, end, now)
    return true
  })
}

/** The open attempt with its run; undefined where it has ended, or all of it is removed. */
async function readHeld(sql: TransactionSql, attemptId: string): Promise<HeldContainer | undefined> {
  const [row] = await sql<HeldContainer[]>`
    select ${heldColumns(sql)}, null as start_delay_ms, a.started_at as attempt_started_at, a.callback_received_at,
      (case when r.step_count > 0 then v.request->'steps'->r.current_step else v.request end->>'max_wait_seconds')::int
        as max_wait_seconds
    from attempts a join runs r on r.id = a.run_id and r.current_attempt_id = a.id join jobs j on j.id = r.job_id
    join request_versions v on v.id = r.request_version_id
    where a.id = ${attemptId} and a.state = 'waiting' and r.state = 'running' and j.deleted_at is null`
  return row && withStepRetry(row)
}

async function keepEnd(sql: TransactionSql, attemptId: string, end: ContainerEnd): Promise<void> {
  await sql`
    update attempts set exit_code = ${end.exitCode}, log = ${end.log}, log_truncated = ${end.logTruncated}
    where id = ${attemptId} and exit_code is null and log is null`
}

async function endAttempt(
  sql: TransactionSql,
  services: Services,
  held: HeldContainer,
  end: ContainerEnd,
  now: Date,
): Promise<void> {
  const result = withoutResponse(end.class, end.message)
  const call: FinishedCall = {
    attemptId: held.attempt_id,
    runId: held.run_id,
    fence: held.fence,
    finishedAt: now,
    result: {
      ...result,
      refused: end.refused,
      timings: { ...result.timings, total: now.getTime() - held.attempt_started_at.getTime() },
    },
  }
  const outcome = conclude(call, held, now)
  await sql`
    update attempts set state = ${end.class === 'ok' ? 'succeeded' : 'failed'}, finished_at = ${now},
      total_ms = ${call.result.timings.total}, error_class = ${end.class === 'ok' ? null : end.class},
      error_message = ${end.message}, next_attempt_at = ${outcome.nextAttemptAt},
      next_attempt_reason = ${outcome.nextReason}
    where id = ${held.attempt_id}`
  await settleOutcomes(sql, services, [outcome], now)
}
