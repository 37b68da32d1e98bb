import type { TransactionSql } from '@workly/db'
import { leaveRest } from '../run/end-steps.ts'
import type { Outcome } from './outcome.ts'

/**
 * Writes what becomes of pipelines' steps whose last attempt has ended: the run goes on to the next step, or ends and
 * leaves the rest. Nothing where no outcome is one of these.
 */
export async function writeSteps(sql: TransactionSql, outcomes: Outcome[], now: Date): Promise<void> {
  const ended = outcomes.filter(o => o.run.step_count > 0 && (o.advances || o.state !== 'running'))
  if (ended.length === 0) return
  const column = <T>(of: (outcome: Outcome) => T) => ended.map(of)
  const failed = (o: Outcome) => o.state === 'failed'
  await sql`
    update steps s set state = e.state, finished_at = ${now}, error_class = e.class, error_message = e.message,
      result = a.callback_result, result_description = a.callback_description
    from unnest(${column(o => o.run.run_id)}::text[], ${column(o => o.run.current_step)}::smallint[],
      ${column(o => o.run.attempt_id)}::text[], ${column(o => (failed(o) ? 'failed' : 'succeeded'))}::text[],
      ${column(o => (failed(o) ? o.call.result.class : null))}::text[],
      ${column(o => (failed(o) ? o.call.result.message : null))}::text[])
      as e(run_id, position, attempt_id, state, class, message)
    join attempts a on a.id = e.attempt_id
    where s.run_id = e.run_id and s.position = e.position`
  await leaveRest(sql, runIds(ended.filter(failed)))
  await goOn(sql, runIds(ended.filter(o => o.advances)))
}

const runIds = (outcomes: Outcome[]) => outcomes.map(o => o.run.run_id)

/** The runs are at their next step now: its host is what admission counts, its attempts are what begin goes on from. */
async function goOn(sql: TransactionSql, ids: string[]): Promise<void> {
  if (ids.length === 0) return
  await sql`
    update runs r set current_step = s.position, host = s.host, attempts_made = s.attempts_made
    from steps s where r.id = any(${ids}) and s.run_id = r.id and s.position = r.current_step + 1`
}
