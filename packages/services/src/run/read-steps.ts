import type { RunStep } from '@workly/core'
import type { Sql, TransactionSql } from '@workly/db'
import { wireInstantOrNull } from '../wire-instant.ts'

/** A step of a pipeline's run as its row holds it. */
interface StepRow {
  step_id: string
  state: RunStep['state']
  started_at: Date | null
  finished_at: Date | null
  attempts_made: number
  error_class: string | null
  error_message: string | null
  result: string | null
  result_description: string | null
}

/** The steps of a run in their order; none where it is no pipeline. */
export async function readSteps(sql: Sql | TransactionSql, runId: string): Promise<RunStep[]> {
  const rows = await sql<StepRow[]>`
    select step_id, state, started_at, finished_at, attempts_made, error_class, error_message, result,
      result_description
    from steps where run_id = ${runId} order by position`
  return rows.map(row => ({
    id: row.step_id,
    state: row.state,
    started_at: wireInstantOrNull(row.started_at),
    finished_at: wireInstantOrNull(row.finished_at),
    attempts_made: row.attempts_made,
    error: row.error_class ? { class: row.error_class, message: row.error_message ?? '' } : null,
    result: row.result,
    description: row.result_description,
  }))
}
