import { createSql, type Sql } from '@workly/db'

/** A pool whose statements tell their plans. */
export interface Explained {
  sql: Sql
  /** The plans of what ran through it, checks of foreign keys included, each with its statement. */
  plans: string[]
  end(): Promise<void>
}

/**
 * Opens a pool on the database at `url` with PostgreSQL's auto_explain, whose reports come as notices. Reading a table
 * whole costs it as much as if the table were a hundred times as large.
 */
export async function openExplained(admin: Sql, url: string): Promise<Explained> {
  const database = new URL(url).pathname.slice(1)
  for (const [name, value] of [
    ['seq_page_cost', '100'],
    ['session_preload_libraries', 'auto_explain'],
    ['auto_explain.log_min_duration', '0'],
    ['auto_explain.log_nested_statements', 'on'],
    ['auto_explain.log_level', 'notice'],
  ] as const) {
    await admin.unsafe(`alter database ${database} set ${name} = '${value}'`)
  }
  const plans: string[] = []
  const sql = createSql(url, {
    max: 4,
    name: 'workly plans',
    onnotice: notice => {
      if (notice.message?.includes('plan:')) plans.push(notice.message)
    },
  })
  return { sql, plans, end: () => sql.end({ timeout: 5 }) }
}

/** The tables that the plans read whole, each with the statement that does. */
export function wholeReads(plans: readonly string[]): { table: string; statement: string }[] {
  return plans.flatMap(plan =>
    [...plan.matchAll(/Seq Scan on (\w+)/g)].map(([, table = '']) => ({ table, statement: plan })),
  )
}
