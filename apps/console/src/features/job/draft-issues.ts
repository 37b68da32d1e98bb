import type { FieldIssue } from '@workly/core'
import type { JobDraft } from './job-draft.ts'

/** The fields of the form that an issue can stand at, by the API's names. */
const FIELDS = [
  'name',
  'description',
  'tags',
  'cron',
  'interval_minutes',
  'at',
  'timezone',
  'url',
  'method',
  'headers',
  'payload',
  'body',
  'content_type',
  'timeout_seconds',
  'max_attempts',
  'min_backoff_seconds',
  'max_backoff_seconds',
  'backoff_multiplier',
  'overlap',
  'missed',
] as const
export type DraftField = (typeof FIELDS)[number]

export type DraftErrors = Partial<Record<DraftField, string>>

/** Issues by the field they belong to; those of no field of the form are told above it. */
export function sortIssues(issues: readonly FieldIssue[]): { byField: DraftErrors; others: FieldIssue[] } {
  const byField: DraftErrors = {}
  const others: FieldIssue[] = []
  for (const issue of issues) {
    // A call's own path: `settings.url`, `schedule.cron`.
    const field = issue.field.replace(/^(settings|schedule)\./, '')
    const known = FIELDS.find(
      name => field === name || field.startsWith(`${name}.`) || field.startsWith(`${name}[`),
    )
    if (known) byField[known] ??= issue.message
    else others.push({ ...issue, field })
  }
  return { byField, others }
}

/** The issues that still stand when some fields have been typed anew: what was said of those is out of date. */
export function withoutChanged(issues: readonly FieldIssue[], change: Partial<JobDraft>): FieldIssue[] {
  const changed = Object.keys(change).map(key => key.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`))
  return issues.filter(issue => {
    const [field] = Object.keys(sortIssues([issue]).byField)
    return field === undefined || !changed.includes(field)
  })
}
