/** What an entry of the audit log keeps of the settings before, and as much of those after, in characters of JSON. */
export const MOST_KEPT = 16 * 1024

/** A field of more is left out where cutting texts was not enough. */
const MOST_OF_A_FIELD = 1_000

/** What is left of a long text, first of long ones and then of all. */
const TEXTS = [1_000, 100] as const

/**
 * Settings as the audit log keeps them: whole where they are small; else with their long texts cut, such as a payload of
 * a megabyte, and if need be without their large fields. What is left out is said in its place.
 */
export function boundedRecord(record: object): object {
  let kept: unknown = record
  for (const most of TEXTS) {
    if (lengthOf(kept) <= MOST_KEPT) return kept as object
    kept = cutTexts(record, most)
  }
  if (lengthOf(kept) <= MOST_KEPT) return kept as object
  const left = { ...(kept as Record<string, unknown>) }
  const large = Object.entries(record).filter(([, value]) => lengthOf(value) > MOST_OF_A_FIELD)
  for (const [field, value] of large) left[field] = `(${lengthOf(value)} characters)`
  if (lengthOf(left) <= MOST_KEPT) return left
  return { left_out: `(${lengthOf(record)} characters)` }
}

function lengthOf(value: unknown): number {
  return JSON.stringify(value)?.length ?? 0
}

function cutTexts(value: unknown, most: number): unknown {
  if (typeof value === 'string') {
    return value.length <= most
      ? value
      : `${value.slice(0, most).toWellFormed()}… (${value.length} characters)`
  }
  if (Array.isArray(value)) return value.map(item => cutTexts(item, most))
  if (typeof value !== 'object' || value === null || value instanceof Date) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, cutTexts(item, most)]))
}
