import type { Sql } from '@workly/db'

/** PostgreSQL's own account of a statement (pg_stat_statements), a run. */
export interface Statement {
  calls: number
  rows: number
  /** Microseconds a run. */
  us_per_run: number
  /** Buffers touched a run. */
  hits_per_run: number
  /** Bytes of write-ahead log a run. */
  wal_per_run: number
  statement: string
}

/** What the server needs to be started with. */
export const STATEMENT_SETTINGS = {
  shared_preload_libraries: 'pg_stat_statements',
  'pg_stat_statements.track': 'all',
  track_io_timing: 'on',
}

export async function forgetStatements(sql: Sql): Promise<void> {
  await sql`create extension if not exists pg_stat_statements`
  await sql`select pg_stat_statements_reset()`
  await sql`select pg_stat_reset()`
}

/** How many statements clients have sent since {@link forgetStatements}. */
export async function askedSince(sql: Sql): Promise<number> {
  const [asked] = await sql<{ n: number }[]>`
    select coalesce(sum(calls), 0)::int as n from pg_stat_statements where toplevel`
  return asked?.n ?? 0
}

/** The statements that took longest since {@link forgetStatements}. */
export function longestStatements(sql: Sql, runs: number): Promise<Statement[]> {
  return sql<Statement[]>`
    select calls, rows, round((total_exec_time * 1000 / ${runs})::numeric, 1)::float8 as us_per_run,
      round((shared_blks_hit::numeric / ${runs}), 2)::float8 as hits_per_run,
      round(wal_bytes / ${runs})::float8 as wal_per_run,
      case when toplevel then '' else '  within: ' end || left(regexp_replace(query, '\\s+', ' ', 'g'), 400) as statement
    from pg_stat_statements s join pg_database d on d.oid = s.dbid and d.datname = current_database()
    order by total_exec_time desc limit 30`
}

/** How often rows were written since {@link forgetStatements}, and how many updates stayed on their page (HOT). */
export function tableWrites(sql: Sql): Promise<object[]> {
  return sql`
    select relname as table, n_tup_ins as inserted, n_tup_upd as updated, n_tup_hot_upd as on_their_page,
      n_tup_newpage_upd as to_another_page, pg_relation_size(relid) / 1024 as kib
    from pg_stat_user_tables where n_tup_ins + n_tup_upd > 100 order by n_tup_upd desc`
}
