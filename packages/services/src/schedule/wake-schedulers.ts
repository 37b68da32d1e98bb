import type { TransactionSql } from '@workly/db'

/** The channel on which schedulers hear that a time may have come nearer. */
export const SCHEDULE_CHANNEL = 'workly_schedule'

/** Tells the schedulers that a time may have come nearer; sent when the transaction commits. */
export async function wakeSchedulers(sql: TransactionSql): Promise<void> {
  await sql`select pg_notify(${SCHEDULE_CHANNEL}, '')`
}
