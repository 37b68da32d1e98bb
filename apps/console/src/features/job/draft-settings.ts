import { type FieldIssue, JOB_NAME, type JobPatch, type SchedulePreview } from '@workly/core'
import { hasNoBody, headerValue, type JobDraft } from './job-draft.ts'

/**
 * The settings of the form. The payload is the text as it was typed, since a browser that reads JSON rounds numbers
 * beyond what a double holds.
 */
export interface FormSettings extends Omit<JobPatch, 'payload'> {
  payload_text?: string
}

/** A number as it was typed; what is none goes on as NaN, for which the form has words of its own. */
function numberOf(text: string): number | null {
  const trimmed = text.trim()
  return trimmed === '' ? null : Number(trimmed)
}

/** The schedule of a draft: one of its three forms, the others cleared. */
export function draftSchedule(draft: JobDraft): SchedulePreview {
  return {
    cron: draft.when === 'cron' ? draft.cron : null,
    interval_minutes: draft.when === 'interval' ? (numberOf(draft.intervalMinutes) ?? Number.NaN) : null,
    at: draft.when === 'at' ? draft.at.trim() : null,
    timezone: draft.timezone.trim(),
  }
}

function draftContent(
  draft: JobDraft,
  issues: FieldIssue[],
): Pick<FormSettings, 'payload_text' | 'body' | 'content_type'> {
  if (hasNoBody(draft.method) || draft.content === 'none') return {}
  if (draft.content === 'text') return { body: draft.body, content_type: draft.contentType.trim() || null }
  if (draft.payload.trim() === '') return {}
  try {
    JSON.parse(draft.payload)
    return { payload_text: draft.payload }
  } catch (error) {
    const why = error instanceof Error ? ` ${error.message}.` : ''
    issues.push({ field: 'payload', message: `This is not JSON.${why}` })
    return {}
  }
}

const NUMBERS = [
  ['timeout_seconds', 'timeoutSeconds'],
  ['max_attempts', 'maxAttempts'],
  ['min_backoff_seconds', 'minBackoffSeconds'],
  ['max_backoff_seconds', 'maxBackoffSeconds'],
  ['backoff_multiplier', 'backoffMultiplier'],
] as const

function draftNumbers(draft: JobDraft, issues: FieldIssue[]): JobPatch {
  const numbers: JobPatch = {}
  for (const [field, key] of NUMBERS) {
    const value = numberOf(draft[key])
    if (Number.isNaN(value))
      issues.push({ field, message: 'Give a number, or leave it empty for the default.' })
    numbers[field] = value
  }
  return numbers
}

function draftHeaders(draft: JobDraft, issues: FieldIssue[]): NonNullable<JobPatch['headers']> {
  const headers: NonNullable<JobPatch['headers']> = {}
  for (const header of draft.headers) {
    const name = header.name.trim()
    if (name === '' && header.value === '') continue
    if (Object.hasOwn(headers, name)) issues.push({ field: 'headers', message: `${name} stands twice.` })
    headers[name] = headerValue(header)
  }
  return headers
}

function ownIssues(draft: JobDraft): FieldIssue[] {
  const issues: FieldIssue[] = []
  if (draft.name === '') issues.push({ field: 'name', message: 'Give the job a name.' })
  else if (!JOB_NAME.test(draft.name)) {
    const message =
      'Use 1 to 100 letters, digits, dots, underscores and hyphens, the first a letter or digit.'
    issues.push({ field: 'name', message })
  }
  if (draft.when === 'interval' && !/^\s*\d+\s*$/.test(draft.intervalMinutes)) {
    issues.push({ field: 'interval_minutes', message: 'Give a whole number of minutes, at least 1.' })
  }
  if (draft.url.trim() === '') issues.push({ field: 'url', message: 'Give the address to call.' })
  return issues
}

export interface ReadDraft {
  settings: FormSettings
  /** What the browser can tell without asking; the server judges everything. */
  issues: FieldIssue[]
}

/** A draft as the API takes it: every setting of the form, null for what is left to the default. */
export function readDraft(draft: JobDraft): ReadDraft {
  const issues = ownIssues(draft)
  const settings: FormSettings = {
    ...draftSchedule(draft),
    url: draft.url.trim(),
    method: draft.method,
    headers: draftHeaders(draft, issues),
    ...draftContent(draft, issues),
    ...draftNumbers(draft, issues),
    retry_on_4xx: draft.retryOn4xx,
    overlap: draft.overlap || null,
    missed: draft.missed || null,
    description: draft.description,
    tags: draft.tags
      .split(',')
      .map(tag => tag.trim())
      .filter(tag => tag !== ''),
  }
  return { settings, issues }
}

/** Without what is null, which in the call that creates a job would say nothing. */
export function givenSettings(settings: FormSettings): FormSettings {
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== null)) as FormSettings
}

/**
 * What differs between two readings of a draft, for a call that changes only what is given: what was not touched in the
 * form stays to the last digit. Null when a body was taken away, which such a call cannot say.
 */
export function changedSettings(before: FormSettings, after: FormSettings): FormSettings | null {
  const hasBody = (settings: FormSettings) => 'payload_text' in settings || 'body' in settings
  if (hasBody(before) && !hasBody(after)) return null
  return Object.fromEntries(
    Object.entries(after).filter(
      ([field, value]) => JSON.stringify(value) !== JSON.stringify(before[field as keyof FormSettings]),
    ),
  ) as FormSettings
}
