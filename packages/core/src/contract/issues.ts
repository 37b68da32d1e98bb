import type { z } from 'zod'
import { type FieldIssue, invalid } from '../errors.ts'

/** `steps[1].url` for `['steps', 1, 'url']`. */
export function fieldPath(path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, part) => {
    if (typeof part === 'number') return `${text}[${part}]`
    return text ? `${text}.${String(part)}` : String(part)
  }, '')
}

/** Levenshtein distance, for "did you mean": both words are short. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const swap = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min(swap, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[b.length] ?? 0
}

/** The known word nearest to an unknown one, or undefined where none is near. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  if (word.length > 64) return undefined
  const plain = word.toLowerCase().replaceAll('-', '_')
  let best: { name: string; d: number } | undefined
  for (const name of known) {
    const d = distance(plain, name)
    if (!best || d < best.d) best = { name, d }
  }
  return best && best.d <= Math.max(2, Math.floor(best.name.length / 3)) ? best.name : undefined
}

/** The names that are known at a place within a schema, through lists and what may be left out. */
function knownAt(schema: z.ZodType, path: readonly PropertyKey[]): readonly string[] {
  let at = inside(schema)
  for (const part of path) {
    if (isOf<z.ZodArray<z.ZodType>>(at, 'array')) at = inside(at.element)
    else at = isOf<z.ZodObject>(at, 'object') ? inside(at.shape[String(part)] as z.ZodType) : undefined
  }
  return isOf<z.ZodObject>(at, 'object') ? Object.keys(at.shape) : []
}

function inside(schema: z.ZodType | undefined): z.ZodType | undefined {
  const optional =
    isOf<z.ZodOptional<z.ZodType>>(schema, 'optional') || isOf<z.ZodNullable<z.ZodType>>(schema, 'nullable')
  return optional ? inside(schema.unwrap()) : schema
}

/** By its name, not by its class: zod itself is not to be loaded by whoever only wants {@link nearest}. */
function isOf<T extends z.ZodType>(schema: z.ZodType | undefined, type: T['def']['type']): schema is T {
  return schema?.def.type === type
}

/** Zod's issues as ours: every offending field, unknown ones with the nearest known name. */
export function fieldIssues(schema: z.ZodType, error: z.ZodError): FieldIssue[] {
  // Of something of the wrong kind nothing else is worth saying, such as how long it is.
  const wrongKind = new Set(error.issues.filter(isWrongKind).map(issue => fieldPath(issue.path)))
  return error.issues.flatMap((issue): FieldIssue[] => {
    if (!isWrongKind(issue) && wrongKind.has(fieldPath(issue.path))) return []
    if (issue.code === 'unrecognized_keys') {
      const known = knownAt(schema, issue.path)
      return issue.keys.map((key, i) => {
        // Thousands of unknown names are no slips of the pen, and comparing them all takes seconds.
        const near = i < 20 ? nearest(key, known) : undefined
        return {
          field: fieldPath([...issue.path, key]),
          message: near ? `is not known here. Did you mean ${near}?` : 'is not known here.',
        }
      })
    }
    return [{ field: fieldPath(issue.path), message: issue.message }]
  })
}

function isWrongKind(issue: z.core.$ZodIssue): boolean {
  return issue.code === 'invalid_type'
}

/**
 * Reads a value of the wire by its schema.
 * @throws WorklyError `invalid_request` naming each offending field
 */
export function readWire<T extends z.ZodType>(schema: T, value: unknown): z.infer<T> {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  throw invalid(fieldIssues(schema, result.error))
}
