import {
  checkTargetHeaders,
  type FieldIssue,
  invalid,
  isBlockedHost,
  type JobPut,
  parseSchedule,
  parseTargetUrl,
  type RetrySettings,
  type Schedule,
  ScheduleError,
  type ScheduleFields,
  shortestIntervalMs,
  type Warning,
} from '@workly/core'
import type { Services } from '../context.ts'
import type { LimitDefaults } from '../limits.ts'
import type { StoredHttpRequest } from './stored-request.ts'

/** A header value as it was sent: plain, or a secret (the mask stands for the stored one). */
export type DraftHeaders = Record<string, string | { secret: string }>

/** A request as it was sent, secrets not yet stored. */
export interface DraftRequest extends Omit<StoredHttpRequest, 'headers'> {
  headers: DraftHeaders
}

/** Everything a job is set to, defaults filled in. */
export interface JobSettings extends RetrySettings {
  schedule: Schedule
  request: DraftRequest
  overlap: 'skip' | 'queue' | 'allow'
  missed: 'skip' | 'catch_up'
  description: string
  tags: string[]
}

/** A project's own defaults for what a PUT omits (spec section 4). */
export type ProjectDefaults = Partial<
  Pick<JobPut, keyof RetrySettings | 'overlap' | 'missed' | 'timeout_seconds' | 'timezone'>
>

/** The fields of a job that say when it runs. */
export const SCHEDULE_FIELDS = [
  'cron',
  'interval_minutes',
  'at',
  'timezone',
  'dialect',
  'from',
  'to',
] as const

export function scheduleFieldsOf(
  input: Pick<JobPut, (typeof SCHEDULE_FIELDS)[number]>,
  timezone = 'UTC',
): ScheduleFields {
  return {
    cron: input.cron ?? null,
    interval_minutes: input.interval_minutes ?? null,
    at: input.at ?? null,
    timezone: input.timezone ?? timezone,
    dialect: input.dialect ?? 'standard',
    from: input.from ?? null,
    to: input.to ?? null,
  }
}

/** Compiles a schedule, adding what is wrong with it to `issues`. */
export function readSchedule(
  fields: ScheduleFields,
  createdAtMs: number,
  limits: Pick<LimitDefaults, 'shortest_interval_seconds'>,
  issues: FieldIssue[],
): Schedule | null {
  try {
    const schedule = parseSchedule(fields, { createdAtMs })
    const shortest = shortestIntervalMs(schedule)
    if (shortest < limits.shortest_interval_seconds * 1000) {
      issues.push({
        field: fields.cron ? 'cron' : 'interval_minutes',
        message: `Its times lie ${shortest / 1000} s apart; the shortest interval allowed here is ${limits.shortest_interval_seconds} s.`,
      })
    }
    return schedule
  } catch (error) {
    if (!(error instanceof ScheduleError)) throw error
    issues.push(...error.issues)
    return null
  }
}

function readBody(
  input: JobPut,
  limits: LimitDefaults,
  issues: FieldIssue[],
): Pick<StoredHttpRequest, 'payload' | 'body' | 'content_type'> {
  const hasPayload = input.payload !== undefined
  const hasBody = input.body !== undefined && input.body !== null
  if (hasPayload && hasBody) issues.push({ field: 'body', message: 'Give payload or body, not both.' })
  if (
    hasPayload &&
    input.content_type &&
    !/^application\/([a-z0-9.+-]+\+)?json\b/i.test(input.content_type)
  ) {
    issues.push({
      field: 'content_type',
      message: 'A payload is sent as JSON; give body for another content type.',
    })
  }
  const payload = hasPayload ? JSON.stringify(input.payload) : undefined
  const body = hasBody ? (input.body ?? undefined) : undefined
  if (body !== undefined && (body.includes('\u0000') || !body.isWellFormed())) {
    issues.push({ field: 'body', message: 'may not hold NUL or half of a surrogate pair' })
  }
  const bytes = Buffer.byteLength(payload ?? body ?? '')
  if (bytes > limits.target_body_bytes) {
    const field = hasPayload ? 'payload' : 'body'
    issues.push({ field, message: `It has ${bytes} bytes; at most ${limits.target_body_bytes} are allowed.` })
  }
  const headerGiven = Object.keys(input.headers ?? {}).some(name => name.toLowerCase() === 'content-type')
  if (input.content_type && headerGiven) {
    issues.push({ field: 'content_type', message: 'Give content_type or the header Content-Type, not both.' })
  }
  if (input.content_type && /[^\t\x20-\x7e]/.test(input.content_type)) {
    issues.push({ field: 'content_type', message: 'may only hold printable ASCII' })
  }
  return {
    ...(payload !== undefined && { payload }),
    ...(body !== undefined && { body }),
    ...(input.content_type && { content_type: input.content_type }),
  }
}

function readRequest(
  input: JobPut,
  defaults: ProjectDefaults,
  services: Services,
  limits: LimitDefaults,
  issues: FieldIssue[],
): DraftRequest {
  const url = input.url ?? ''
  if (url === '') issues.push({ field: 'url', message: 'is required: the address to call' })
  else {
    const parsed = parseTargetUrl(url, { allowHttp: services.allowHttp })
    if (!parsed.ok) issues.push({ field: 'url', message: parsed.message })
  }
  const headers = input.headers ?? {}
  const plain = Object.fromEntries(
    Object.entries(headers).map(([k, v]) => [k, typeof v === 'string' ? v : v.secret]),
  )
  // The mask is not Latin-1, and stands for a value that was checked when it was stored.
  for (const [name, value] of Object.entries(headers))
    if (typeof value !== 'string' && isMask(value.secret)) plain[name] = ''
  issues.push(...checkTargetHeaders(plain))
  if (typeof input.response === 'object' && input.response !== null) {
    issues.push({ field: 'response', message: 'Callbacks are not available yet; "sync" is.' })
  }
  const method = input.method ?? 'POST'
  const content = readBody(input, limits, issues)
  if (
    (method === 'GET' || method === 'HEAD') &&
    (content.payload !== undefined || content.body !== undefined)
  ) {
    const field = content.payload !== undefined ? 'payload' : 'body'
    issues.push({ field, message: `A ${method} request has no body; use another method.` })
  }
  return {
    kind: 'http',
    url,
    method,
    headers,
    ...content,
    response: 'sync',
    timeout_seconds: input.timeout_seconds ?? defaults.timeout_seconds ?? 30,
  }
}

/** Whether a secret's text is the mask, which stands for the value stored under the same name. */
export function isMask(secret: string): boolean {
  return secret === '••••'
}

/**
 * Fills in the defaults and checks every setting (spec sections 2 to 4 and 6).
 * @throws WorklyError `invalid_request` naming each offending field
 */
export function readSettings(
  input: JobPut,
  defaults: ProjectDefaults,
  services: Services,
  limits: LimitDefaults,
  createdAtMs: number,
): JobSettings {
  const issues: FieldIssue[] = []
  const schedule = readSchedule(
    scheduleFieldsOf(input, defaults.timezone ?? 'UTC'),
    createdAtMs,
    limits,
    issues,
  )
  const request = readRequest(input, defaults, services, limits, issues)
  if (new Set(input.tags ?? []).size !== (input.tags ?? []).length) {
    issues.push({ field: 'tags', message: 'A tag stands twice.' })
  }
  if (issues.length > 0 || !schedule) throw invalid(issues)
  return {
    schedule,
    request,
    max_attempts: input.max_attempts ?? defaults.max_attempts ?? 3,
    min_backoff_seconds: input.min_backoff_seconds ?? defaults.min_backoff_seconds ?? 5,
    max_backoff_seconds: input.max_backoff_seconds ?? defaults.max_backoff_seconds ?? 300,
    backoff_multiplier: input.backoff_multiplier ?? defaults.backoff_multiplier ?? 2,
    retry_on_4xx: input.retry_on_4xx ?? defaults.retry_on_4xx ?? false,
    overlap: input.overlap ?? defaults.overlap ?? 'skip',
    // A time given once is not to be lost because nobody was there at that minute (spec section 4).
    missed: input.missed ?? (input.at ? 'catch_up' : (defaults.missed ?? 'skip')),
    description: input.description ?? '',
    tags: input.tags ?? [],
  }
}

/** What to say about a target that is taken but will not be called. */
export function targetWarnings(url: string, services: Services): Warning[] {
  const { hostname } = new URL(url)
  if (!isBlockedHost(hostname, services.allowedPrivate)) return []
  return [
    {
      code: 'blocked_target',
      field: 'url',
      message: `${hostname} is not on the public internet and will not be called: its attempts fail with the class blocked.`,
    },
  ]
}
