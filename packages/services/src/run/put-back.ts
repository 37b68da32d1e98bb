import { admissionRank } from '@workly/core'
import type { TransactionSql } from '@workly/db'

/** How ended runs are set going again. */
export interface PutBack {
  /** What they count as for overlap and admission from now on. */
  by: 'manual' | 'backfill'
  /** Whether they wait for their turn within their job. */
  waitsForTurn: boolean
  /** Pipelines: from their first step, or from the first that did not succeed. */
  fromStep: 'first' | 'failed'
}

/**
 * Puts ended runs back to pending with a fresh set of attempts: same ids and scheduled times, earlier attempts kept, and
 * their numbers go on (spec section 5). The caller has locked jobs and runs, and admits afterwards.
 */
export async function putBack(sql: TransactionSql, runIds: string[], how: PutBack, now: Date): Promise<void> {
  if (runIds.length === 0) return
  const rows = await sql<{ id: string; step_count: number }[]>`
    update runs set state = 'pending', put_back = true, skip_reason = null, finished_out_of_time = false,
      late_result = null, started_at = null, finished_at = null, error_class = null, error_message = null,
      cancel_requested_at = null, attempts_counted = 0, lost_in_a_row = 0, set_going_by = ${how.by},
      admission_rank = ${admissionRank(how.by)}, pending_at = ${now}, due_at = ${now},
      waits_for_turn = ${how.waitsForTurn}
    where id = any(${runIds})
    returning id, step_count`
  const pipelines = rows.filter(row => row.step_count > 0).map(row => row.id)
  if (pipelines.length > 0) await putBackSteps(sql, pipelines, how.fromStep)
}

/** Steps that are not run again keep their results. */
async function putBackSteps(sql: TransactionSql, runIds: string[], from: PutBack['fromStep']): Promise<void> {
  await sql`
    with first as (
      select run_id, min(position) as position from steps
      where run_id = any(${runIds}) and (${from === 'first'} or state <> 'succeeded')
      group by run_id
    ), put_back as (
      update steps s set state = 'pending', started_at = null, finished_at = null, error_class = null,
        error_message = null, result = null, result_description = null
      from first f where s.run_id = f.run_id and s.position >= f.position
    )
    update runs r set current_step = s.position, host = s.host, attempts_made = s.attempts_made
    from first f join steps s on s.run_id = f.run_id and s.position = f.position
    where r.id = f.run_id`
}
