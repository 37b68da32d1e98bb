import type { FieldIssue } from '@workly/core'

/** A number as it was typed: null where the field is empty, NaN with an issue where it holds something else. */
export function readNumber(text: string, field: string, issues: FieldIssue[]): number | null {
  const trimmed = text.trim()
  if (trimmed === '') return null
  const value = Number(trimmed)
  if (Number.isNaN(value))
    issues.push({ field, message: 'Give a number, or leave it empty for the default.' })
  return value
}
