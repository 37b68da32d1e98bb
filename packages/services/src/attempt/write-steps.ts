import type { TransactionSql } from '@workly/db'
import { leaveRest } from '../run/end-steps.ts'
import type { Outcome } from './outcome.ts'

/**
 * Writes what becomes of pipelines' steps whose last attempt has ended: the run goes on to the next step, or ends and
 * leaves the rest. Nothing where no outcome is one of these.
 */
export async function writeSteps(sql: TransactionSql, outcomes: Outcome[], now: Date): Promise<void> {
  const ended = outcomes.flatMap(({ call, run, state, advances }) =>
    run.step !== null && (advances || state !== 'running')
      ? [{ run, step: run.step, advances, failure: state === 'failed' ? call.result : null }]
      : [],
  )
  if (ended.length === 0) return
  const column = <T>(of: (one: (typeof ended)[number]) => T) => ended.map(of)
  await sql`
    update steps s set state = e.state, finished_at = ${now}, error_class = e.class, error_message = e.message,
      result = a.callback_result, result_description = a.callback_description
    from unnest(${column(e => e.run.run_id)}::text[], ${column(e => e.step.position)}::smallint[],
      ${column(e => e.run.attempt_id)}::text[], ${column(e => (e.failure ? 'failed' : 'succeeded'))}::text[],
      ${column(e => e.failure?.class ?? null)}::text[], ${column(e => e.failure?.message ?? null)}::text[])
      as e(run_id, position, attempt_id, state, class, message)
    join attempts a on a.id = e.attempt_id
    where s.run_id = e.run_id and s.position = e.position`
  const runIds = (which: typeof ended) => which.map(one => one.run.run_id)
  await leaveRest(sql, runIds(ended.filter(one => one.failure !== null)))
  await goOn(sql, runIds(ended.filter(one => one.advances)))
}

/** The runs are at their next step now: its host is what admission counts, its attempts are what begin goes on from. */
async function goOn(sql: TransactionSql, ids: string[]): Promise<void> {
  if (ids.length === 0) return
  await sql`
    update runs r set current_step = s.position, host = s.host, attempts_made = s.attempts_made
    from steps s where r.id = any(${ids}) and s.run_id = r.id and s.position = r.current_step + 1`
}
