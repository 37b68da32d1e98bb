import {
  type FieldIssue,
  JOB_NAME,
  type JobPatch,
  type PipelineStep,
  RETRY_FIELDS,
  type SchedulePreview,
  STEP_ID,
} from '@workly/core'
import { readNumber } from '#features/target/read-number.ts'
import { type HttpSettings, readHttp, readImage } from '#features/target/read-target.ts'
import type { JobDraft, StepDraft } from './job-draft.ts'
import { readRetry } from './retry-draft.ts'

/** A step in a call of the console: its payload is the text as it was typed. */
export type StepSettings = Omit<PipelineStep, 'payload'> & Pick<HttpSettings, 'payload_text'>

/** The settings of the form, payloads as the text that was typed. */
export interface FormSettings
  extends Omit<JobPatch, 'payload' | 'steps'>,
    Pick<HttpSettings, 'payload_text'> {
  execute_now?: true
  steps?: StepSettings[]
}

/** The schedule of a draft: one of its three forms, the others cleared. */
export function draftSchedule(draft: JobDraft): SchedulePreview {
  return {
    cron: draft.when === 'cron' ? draft.cron : null,
    interval_minutes:
      draft.when === 'interval' ? (readNumber(draft.intervalMinutes, '', []) ?? Number.NaN) : null,
    at: draft.when === 'at' ? draft.at.trim() : null,
    timezone: draft.timezone.trim(),
    dialect: draft.dialect,
    from: draft.from.trim() || null,
    to: draft.to.trim() || null,
  }
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
  return issues
}

function readStep(
  step: StepDraft,
  index: number,
  all: readonly StepDraft[],
  issues: FieldIssue[],
): StepSettings {
  const place = `steps[${index}].`
  const id = step.id.trim()
  if (!STEP_ID.test(id)) {
    const message =
      id === ''
        ? 'Give the step an id, such as extract.'
        : 'Use 1 to 64 letters, digits, underscores and hyphens, the first a letter or digit.'
    issues.push({ field: `${place}id`, message })
  } else if (all.findIndex(other => other.id.trim() === id) < index) {
    issues.push({ field: `${place}id`, message: 'An earlier step has this id; each step has its own.' })
  }
  const target =
    step.kind === 'image'
      ? { image: readImage(step.image, `${place}image.`, issues) }
      : readHttp(step.http, place, issues)
  if (!step.hasOwnRetry) return { id, ...target }
  const retry = readRetry(step.retry, place, issues)
  const own = RETRY_FIELDS.filter(field => retry[field] !== null).map(field => [field, retry[field]])
  return { id, ...target, ...Object.fromEntries(own) }
}

function readWhat(draft: JobDraft, issues: FieldIssue[]): FormSettings {
  if (draft.kind === 'image') return { image: readImage(draft.target.image, 'image.', issues) }
  if (draft.kind === 'http') return readHttp(draft.target.http, '', issues)
  return { steps: draft.steps.map((step, index) => readStep(step, index, draft.steps, issues)) }
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
    ...(draft.executeNow && { execute_now: true }),
    ...readWhat(draft, issues),
    ...readRetry(draft.retry, '', issues),
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
 * form stays to the last digit. Null when a request's body was taken away, which such a call cannot say.
 */
export function changedSettings(before: FormSettings, after: FormSettings): FormSettings | null {
  const hasBody = (settings: FormSettings) => 'payload_text' in settings || 'body' in settings
  if ('url' in after && hasBody(before) && !hasBody(after)) return null
  return Object.fromEntries(
    Object.entries(after).filter(
      ([field, value]) => JSON.stringify(value) !== JSON.stringify(before[field as keyof FormSettings]),
    ),
  ) as FormSettings
}
