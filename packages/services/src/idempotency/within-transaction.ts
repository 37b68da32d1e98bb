import type { Sql, TransactionSql } from '@workly/db'
import type { ProjectContext } from '../context.ts'

/**
 * The context with a database that is one open transaction: a verb's own `sql.begin` becomes a savepoint of it, so that
 * what the verb does commits together with what stands around it.
 */
export function withinTransaction(ctx: ProjectContext, sql: TransactionSql): ProjectContext {
  const inner = new Proxy(sql, {
    get(target, property) {
      if (property === 'begin') return (work: (nested: TransactionSql) => unknown) => target.savepoint(work)
      return Reflect.get(target, property, target) as unknown
    },
  })
  return { ...ctx, services: { ...ctx.services, sql: inner as unknown as Sql } }
}
