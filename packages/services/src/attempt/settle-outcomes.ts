import type { TransactionSql } from '@workly/db'
import type { Services } from '../context.ts'
import { admitWaiting } from '../run/admit-waiting.ts'
import { releaseWaiting } from '../run/release-waiting.ts'
import { countFinished } from './count-finished.ts'
import type { Outcome } from './outcome.ts'
import { writeJobs, writeRuns } from './write-outcomes.ts'
import { writeSteps } from './write-steps.ts'

/**
 * Writes what follows from attempts that have ended, however they did: their runs, what their jobs count, whose turn it
 * is then, and the admission of what waited for the slots. The caller has locked the jobs and the runs.
 *
 * The statements go one behind the other on the transaction's connection, and their answers are waited for together: an
 * answer a statement is what small batches cost most.
 * @param attempts the write of the attempts themselves, where the caller has not waited for it yet
 */
export async function settleOutcomes(
  sql: TransactionSql,
  services: Services,
  outcomes: Outcome[],
  now: Date,
  attempts: Promise<void> = Promise.resolve(),
): Promise<void> {
  const ended = outcomes.filter(o => o.state !== 'running')
  const projects = outcomes.map(o => o.run.project_id)
  await Promise.all([
    attempts,
    writeRuns(sql, outcomes, now),
    writeJobs(sql, ended, now),
    releaseWaiting(sql, [...new Set(ended.map(o => o.run.job_id))]),
  ])
  await writeSteps(sql, outcomes, now)
  await admitWaiting(sql, services.limits, projects, now, countFinished(outcomes))
}
