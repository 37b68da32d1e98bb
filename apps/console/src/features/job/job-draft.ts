import { type FieldIssue, JOB_NAME, type METHODS, type SchedulePreview } from '@workly/core'

/** What the form of a new job holds, as it was typed. */
export interface JobDraft {
  name: string
  when: 'cron' | 'interval'
  cron: string
  intervalMinutes: string
  timezone: string
  url: string
  method: (typeof METHODS)[number]
  payload: string
}

export const EMPTY_DRAFT: Omit<JobDraft, 'timezone'> = {
  name: '',
  when: 'cron',
  cron: '0 3 * * *',
  intervalMinutes: '15',
  url: '',
  method: 'POST',
  payload: '',
}

/** Requests that carry no body. */
export function hasNoBody(method: JobDraft['method']): boolean {
  return method === 'GET' || method === 'HEAD'
}

/** The schedule of a draft; what is no number goes as it is, for the server to say what is allowed. */
export function draftSchedule(draft: JobDraft): SchedulePreview {
  if (draft.when === 'cron') return { cron: draft.cron, timezone: draft.timezone }
  return { interval_minutes: Number(draft.intervalMinutes.trim() || Number.NaN), timezone: draft.timezone }
}

type Read<T> = { value: T; issue: null } | { value: null; issue: FieldIssue }

function readPayload(draft: JobDraft): Read<unknown> {
  if (draft.payload.trim() === '' || hasNoBody(draft.method)) return { value: undefined, issue: null }
  try {
    return { value: JSON.parse(draft.payload) as unknown, issue: null }
  } catch (error) {
    const why = error instanceof Error ? ` ${error.message}.` : ''
    return { value: null, issue: { field: 'payload', message: `This is not JSON.${why}` } }
  }
}

export interface ReadDraft {
  settings: SchedulePreview & { url: string; method: JobDraft['method']; payload?: unknown }
  /** What the browser can tell without asking; the server judges everything. */
  issues: FieldIssue[]
}

/** A draft as the API takes it. */
export function readDraft(draft: JobDraft): ReadDraft {
  const issues: FieldIssue[] = []
  if (!JOB_NAME.test(draft.name)) {
    issues.push({
      field: 'name',
      message:
        draft.name === ''
          ? 'Give the job a name.'
          : 'Use 1 to 100 letters, digits, dots, underscores and hyphens, the first a letter or digit.',
    })
  }
  if (draft.when === 'interval' && !/^\s*\d+\s*$/.test(draft.intervalMinutes)) {
    issues.push({ field: 'interval_minutes', message: 'Give a whole number of minutes, at least 1.' })
  }
  if (draft.url.trim() === '') issues.push({ field: 'url', message: 'Give the address to call.' })
  const payload = readPayload(draft)
  if (payload.issue) issues.push(payload.issue)
  return {
    settings: {
      ...draftSchedule(draft),
      url: draft.url.trim(),
      method: draft.method,
      ...(payload.value !== undefined && payload.issue === null && { payload: payload.value }),
    },
    issues,
  }
}

const FIELDS = ['name', 'cron', 'interval_minutes', 'timezone', 'url', 'method', 'payload'] as const
export type DraftField = (typeof FIELDS)[number]

/** Issues by the field they belong to; those of no field of the form come last, to be told above it. */
export function sortIssues(issues: readonly FieldIssue[]): {
  byField: Partial<Record<DraftField, string>>
  others: FieldIssue[]
} {
  const byField: Partial<Record<DraftField, string>> = {}
  const others: FieldIssue[] = []
  for (const issue of issues) {
    // A schedule's or settings' own path: `settings.url`, `schedule.cron`.
    const field = issue.field.replace(/^(settings|schedule)\./, '')
    const known = FIELDS.find(
      name => field === name || field.startsWith(`${name}.`) || field.startsWith(`${name}[`),
    )
    if (known) byField[known] ??= issue.message
    else others.push({ ...issue, field })
  }
  return { byField, others }
}
