import { type FieldIssue, fieldIssues } from '@workly/core'
import type { z } from 'zod'

/**
 * The query of a URL by its schema. A name given twice and a name that the operation does not know are refused: neither
 * is dropped without a word.
 * @param issues what is wrong is added here
 */
export function readQuery(
  issues: FieldIssue[],
  schema: z.ZodObject | undefined,
  search: URLSearchParams,
): unknown {
  const given: Record<string, string> = {}
  for (const [name, value] of search) {
    if (Object.hasOwn(given, name)) issues.push({ field: name, message: 'is given twice.' })
    Object.defineProperty(given, name, { value, enumerable: true, configurable: true })
  }
  if (!schema) {
    for (const name of Object.keys(given)) issues.push({ field: name, message: 'is not known here.' })
    return {}
  }
  const result = schema.safeParse(given)
  if (result.success) return result.data
  issues.push(...fieldIssues(schema, result.error))
  return {}
}
