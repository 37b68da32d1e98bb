import type { Sql, TransactionSql } from '@workly/db'

/**
 * Milliseconds from a run's scheduled time to its first attempt's start, over `attempts a` and `runs r`; null for every
 * other attempt, so that each run is counted once, when its first attempt ends. A backfill is late on purpose, and a run
 * that was put back starts when someone says so: neither is counted.
 */
export const startDelayMs = (sql: Sql | TransactionSql) => sql`
  case when a.number = 1 and r.current_step = 0 and not r.put_back and r.trigger <> 'backfill'
    then extract(epoch from a.started_at - r.scheduled_for)::float8 * 1000 end`
