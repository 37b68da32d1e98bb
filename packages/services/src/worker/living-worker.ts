import type { Sql, TransactionSql } from '@workly/db'
import { clockWithin, type Services } from '../context.ts'

/**
 * A query for the id of a worker that may begin attempts: none once its lease has run out. Its row is held against a
 * rescuer, who would otherwise bury it meanwhile and not see what it begins.
 */
export const livingWorker = (services: Services, sql: Sql | TransactionSql, workerId: string) => sql`
  select id from workers
  where id = ${workerId} and lost_at is null and stopped_at is null
    and lease_expires_at > ${clockWithin(services, sql)}
  for key share`
