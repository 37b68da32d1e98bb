import type { TransactionSql } from '@workly/db'
import type { Outcome } from './outcome.ts'

/**
 * Adds a batch to the projects' counters for metrics: attempts by class and runs by state. Rows are written in the
 * order of their keys, so that two batches never wait for each other.
 */
export async function countFinished(sql: TransactionSql, outcomes: Outcome[]): Promise<void> {
  const sums = new Map<
    string,
    { organization: string; project: string; metric: string; label: string; n: number }
  >()
  const add = (run: Outcome['run'], metric: string, label: string) => {
    const key = `${run.project_id} ${metric} ${label}`
    const sum = sums.get(key)
    if (sum) sum.n++
    else sums.set(key, { organization: run.organization_id, project: run.project_id, metric, label, n: 1 })
  }
  for (const { run, call, state } of outcomes) {
    add(run, 'attempts', call.result.class)
    if (state !== 'running') add(run, 'runs', state)
  }
  const rows = [...sums.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, sum]) => sum)
  await sql`
    insert into counters (organization_id, project_id, metric, label, value)
    select * from unnest(${rows.map(r => r.organization)}::text[], ${rows.map(r => r.project)}::text[],
      ${rows.map(r => r.metric)}::text[], ${rows.map(r => r.label)}::text[], ${rows.map(r => r.n)}::bigint[])
    on conflict (project_id, metric, label) do update set value = counters.value + excluded.value`
}
