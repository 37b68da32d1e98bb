import type { AttemptClass, RunState } from '@workly/core'
import type { TransactionSql } from '@workly/db'
import { bucketOf, type HistogramName } from './buckets.ts'

/** Whose it is that is counted. */
export interface Counted {
  organization_id: string
  project_id: string
}

interface Sum extends Counted {
  metric: string
  label: string
  n: number
}

/**
 * What a transaction adds to its projects' counters (spec section 13): gathered while it works, written at once.
 *
 * The order of locks, everywhere: jobs, runs, attempts, projects, counters; rows of one table in the order of their ids
 * or keys, projects all at once. So a tally is handed to {@link admitWaiting}, which locks the projects: whoever writes
 * a project's counters holds the project, and two batches never wait for each other in a circle.
 */
export class Tally {
  readonly #sums = new Map<string, Sum>()

  /** An attempt has ended. */
  attempt(of: Counted, cls: 'ok' | AttemptClass): void {
    this.#add(of, 'attempts', cls, 1)
  }

  /**
   * A run has ended.
   * @param cls the class a failed run failed with, or the reason a skipped one was skipped for
   */
  run(of: Counted, state: Exclude<RunState, 'pending' | 'running'>, cls?: string): void {
    this.#add(of, 'runs', cls === undefined ? state : `${state} ${cls}`, 1)
  }

  /** Something took this many milliseconds; null or undefined: it was not measured, and is not counted. */
  took(of: Counted, what: HistogramName, ms: number | null | undefined): void {
    if (ms === null || ms === undefined) return
    const counted = Math.max(0, Math.round(ms))
    this.#add(of, what, bucketOf(what, counted), 1)
    this.#add(of, `${what}_ms`, '', counted)
  }

  /** The projects whose counters it adds to. */
  projects(): string[] {
    return [...new Set([...this.#sums.values()].map(sum => sum.project_id))]
  }

  /** Takes in what another has gathered. */
  join(other: Tally): void {
    for (const sum of other.#sums.values()) this.#add(sum, sum.metric, sum.label, sum.n)
  }

  /** Adds to the counters; the caller holds the projects. */
  async write(sql: TransactionSql): Promise<void> {
    if (this.#sums.size === 0) return
    const rows = [...this.#sums.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, sum]) => sum)
    await sql`
      insert into counters (organization_id, project_id, metric, label, value)
      select * from unnest(${rows.map(r => r.organization_id)}::text[], ${rows.map(r => r.project_id)}::text[],
        ${rows.map(r => r.metric)}::text[], ${rows.map(r => r.label)}::text[], ${rows.map(r => r.n)}::bigint[])
      on conflict (project_id, metric, label) do update set value = counters.value + excluded.value`
  }

  #add(of: Counted, metric: string, label: string, n: number): void {
    const { organization_id, project_id } = of
    const key = `${project_id} ${metric} ${label}`
    const sum = this.#sums.get(key)
    if (sum) sum.n += n
    else this.#sums.set(key, { organization_id, project_id, metric, label, n })
  }
}
