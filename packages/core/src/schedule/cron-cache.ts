import { type CronExpression, readCron } from './cron-expression.ts'
import type { Dialect } from './cron-field.ts'

/** A tick reads thousands of jobs' expressions, most of them the same few hundred. */
const KEPT = 4_096
const cache = new Map<string, CronExpression>()

/** `readCron`, remembering the expressions read most lately; refused ones are not kept. */
export function cachedCron(text: string, dialect: Dialect): CronExpression | null {
  const key = `${dialect} ${text}`
  const known = cache.get(key)
  const expression = known ?? readCron(text, dialect)
  if (expression === null) return null
  // A Map goes through its keys in the order of their setting: the first is the one longest unused.
  cache.delete(key)
  cache.set(key, expression)
  for (const oldest of cache.keys()) {
    if (cache.size <= KEPT) break
    cache.delete(oldest)
  }
  return expression
}
