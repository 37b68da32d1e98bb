import { type FieldIssue, HTTP_FIELDS, RETRY_FIELDS, SCHEDULE_FIELDS } from '@workly/core'
import type { JobDraft } from './job-draft.ts'

/** What is wrong with the fields that a form shows, by the API's paths, such as `steps[0].image.env_from[1].prefix`. */
export type FormErrors = readonly FieldIssue[]

const OF_EVERY_JOB = [
  ...['name', 'description', 'tags', 'overlap', 'missed', 'execute_now'],
  ...SCHEDULE_FIELDS,
  ...RETRY_FIELDS,
]
const OF_KIND = { http: HTTP_FIELDS, image: ['image'], pipeline: ['steps'] } as const

/** Whether a path is that of a field, or lies within it. */
export function isAt(path: string, field: string): boolean {
  return path === field || path.startsWith(`${field}.`) || path.startsWith(`${field}[`)
}

/** Issues that have a field on the form; the others are told above it. */
export function sortIssues(
  issues: readonly FieldIssue[],
  kind: JobDraft['kind'],
): { shown: FieldIssue[]; others: FieldIssue[] } {
  const fields: readonly string[] = [...OF_EVERY_JOB, ...OF_KIND[kind]]
  const shown: FieldIssue[] = []
  const others: FieldIssue[] = []
  for (const issue of issues) {
    const at = { ...issue, field: apiPath(issue.field) }
    if (fields.some(field => isAt(at.field, field))) shown.push(at)
    else others.push(at)
  }
  return { shown, others }
}

/** The API's path of a field for a path of the console's own call: `settings.url`, `patch.steps[0].payload_text`. */
function apiPath(path: string): string {
  return path
    .replace(/^(settings|schedule|patch|put|call)\./, '')
    .replace(/^(steps\[\d+\]\.)?payload_text$/, '$1payload')
}

/** What is wrong with a field, or with something in it that has no place of its own. */
export function errorAt(errors: FormErrors, field: string): string | undefined {
  return errors.find(issue => isAt(issue.field, field))?.message
}

/** What is wrong with a field as a whole. */
export function errorOf(errors: FormErrors, field: string): string | undefined {
  return errors.find(issue => issue.field === field)?.message
}

/** What is wrong with one of the named values of a field, such as a header: names may hold dots. */
export function errorOfName(errors: FormErrors, field: string, name: string): string | undefined {
  return errors.find(({ field: path }) => name !== '' && isAt(path, `${field}.${name}`))?.message
}

/** Of names that were typed in one part, the API's names. */
const NAMES: Readonly<Record<string, string>> = {
  content: 'payload',
  end: 'max_wait_seconds',
  retryOn4xx: 'retry_on_4xx',
}

/**
 * The API's paths of what was typed.
 * @param place what stands before them, such as `steps[1].`; of an HTTP request the wait is part of `response`
 */
export function pathsOf(place: string, change: object, isHttp = false): string[] {
  return Object.keys(change).map(key => {
    if (isHttp && key === 'maxWaitSeconds') return `${place}response`
    return place + (NAMES[key] ?? key.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`))
  })
}

/**
 * The issues that still stand when some fields have been typed anew: what was said of those is out of date. With another
 * kind of target so is all that was said of the one before.
 */
export function withoutChanged(issues: readonly FieldIssue[], changed: readonly string[]): FieldIssue[] {
  const fields = changed.includes('kind') ? [...changed, ...Object.values(OF_KIND).flat()] : changed
  return issues.filter(issue => !fields.some(field => isAt(apiPath(issue.field), field)))
}
