import type { TransactionSql } from '@workly/db'
import type { Services } from '../context.ts'
import { startDelayMs } from '../metrics/start-delay.ts'
import { type HeldRun, heldColumns, withStepRetry } from './held-run.ts'
import { keepLateResults } from './late-results.ts'
import { decide, type FinishedCall } from './outcome.ts'
import { settleOutcomes } from './settle-outcomes.ts'
import { writeAttempts } from './write-attempts.ts'

/**
 * Locks the jobs, then the runs, of the attempts that are still open and held under the given fences. Everything by its
 * id, one after the other (`offset 0` keeps it so): these plans are kept, and one that was made while a table was small
 * would go through all of it, or through all open attempts, for each batch.
 */
async function lockHeld(sql: TransactionSql, calls: FinishedCall[]): Promise<Map<string, HeldRun>> {
  const runIds = calls.map(c => c.runId)
  // One behind the other on the transaction's connection, and nothing waited for in between.
  const [, , rows] = await Promise.all([
    sql`select id from jobs where id = any(array(select job_id from runs where id = any(${runIds})))
      order by id for no key update`,
    sql`select id from runs where id = any(${runIds}) order by id for no key update`,
    sql<HeldRun[]>`
      select ${heldColumns(sql)}, ${startDelayMs(sql)} as start_delay_ms
      from unnest(${calls.map(c => c.attemptId)}::text[]) as asked(id)
      cross join lateral (select * from attempts where id = asked.id offset 0) a
      cross join lateral (select * from runs where id = a.run_id offset 0) r
      cross join lateral (select * from jobs where id = r.job_id offset 0) j
      cross join lateral (select * from request_versions where id = r.request_version_id offset 0) v
      where a.state = 'running' and r.state = 'running' and r.current_attempt_id = a.id and j.deleted_at is null`,
  ])
  return new Map(rows.map(row => [row.attempt_id, withStepRetry(row)]))
}

/**
 * Writes the results of a batch of calls in one transaction: the attempts, what becomes of their runs (ended, the next
 * attempt by the job's present settings, or the next step), the job's counters, and the admission of what waited for the slots.
 * A result whose fence is no longer held (the attempt was taken for lost, or the run cancelled) changes nothing and is
 * kept beside the attempt as late.
 * @param now the worker's reading of the database's clock
 * @returns the attempts whose results were refused
 */
export async function finishAttempts(
  services: Services,
  calls: FinishedCall[],
  now: Date,
): Promise<string[]> {
  if (calls.length === 0) return []
  return services.sql.begin(async sql => {
    const held = await lockHeld(sql, calls)
    const refused: FinishedCall[] = []
    const outcomes = calls.flatMap(call => {
      const run = held.get(call.attemptId)
      // Of two results of one attempt in a batch the first counts.
      if (run?.fence === call.fence && held.delete(call.attemptId)) return [decide(call, run, now)]
      refused.push(call)
      return []
    })
    await keepLateResults(sql, refused)
    if (outcomes.length > 0) {
      await settleOutcomes(sql, services, outcomes, now, writeAttempts(sql, outcomes))
    }
    return refused.map(call => call.attemptId)
  })
}
