import type { TransactionSql } from '@workly/db'
import type { Services } from '../context.ts'
import { admitWaiting } from '../run/admit-waiting.ts'
import { releaseWaiting } from '../run/release-waiting.ts'
import { countFinished } from './count-finished.ts'
import type { Outcome } from './outcome.ts'
import { writeJobs, writeRuns } from './write-outcomes.ts'

/**
 * Writes what follows from attempts that have ended, however they did: their runs, what their jobs count, whose turn it
 * is then, and the admission of what waited for the slots. The caller has locked the jobs and the runs, and has written
 * the attempts.
 */
export async function settleOutcomes(
  sql: TransactionSql,
  services: Services,
  outcomes: Outcome[],
  now: Date,
): Promise<void> {
  await writeRuns(sql, outcomes, now)
  const ended = outcomes.filter(o => o.state !== 'running')
  await writeJobs(sql, ended, now)
  await releaseWaiting(sql, [...new Set(ended.map(o => o.run.job_id))])
  const projects = outcomes.map(o => o.run.project_id)
  await admitWaiting(sql, services.limits, projects, now, countFinished(outcomes))
}
