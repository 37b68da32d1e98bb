import type { TransactionSql } from '@workly/db'

/** Ends the step that each of these pipeline runs is at, whose run has ended before it; the rest are not run. */
export async function endSteps(
  sql: TransactionSql,
  runIds: string[],
  how: { state: 'failed' | 'cancelled'; class: string; message: string },
  now: Date,
): Promise<void> {
  if (runIds.length === 0) return
  await sql`
    update steps s set state = ${how.state}, finished_at = ${now}, error_class = ${how.class},
      error_message = ${how.message}
    from runs r where r.id = any(${runIds}) and s.run_id = r.id and s.position = r.current_step`
  await leaveRest(sql, runIds)
}

/** The steps that these runs, which have ended, never came to. */
export async function leaveRest(sql: TransactionSql, runIds: string[]): Promise<void> {
  if (runIds.length === 0) return
  await sql`update steps set state = 'not_run' where run_id = any(${runIds}) and state = 'pending'`
}
