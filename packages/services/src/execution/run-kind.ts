import type { Sql, TransactionSql } from '@workly/db'
import type { JobRow } from '../job/job-row.ts'

/**
 * What a run `r` does, by its own row: its job may have become of another kind since. Written out, not as parameters, so
 * that the partial indexes runs_of_pipelines and runs_of_images are found.
 */
const CONDITIONS = {
  pipeline: (sql: Sql | TransactionSql) => sql`r.step_count > 0`,
  image: (sql: Sql | TransactionSql) => sql`(r.step_count = 0 and r.host = '*image')`,
  http: (sql: Sql | TransactionSql) => sql`(r.step_count = 0 and r.host <> '*image')`,
} as const

/** Runs `r` of one kind. */
export function isOfKind(sql: Sql | TransactionSql, kind: JobRow['kind']) {
  return CONDITIONS[kind](sql)
}

/** The kind of a run `r`, as a column. */
export function kindOf(sql: Sql | TransactionSql) {
  return sql`case when r.step_count > 0 then 'pipeline' when r.host = '*image' then 'image' else 'http' end`
}
