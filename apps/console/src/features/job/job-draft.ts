import { type METHODS, SECRET_MASK } from '@workly/core'
import { prettyJson } from '#features/run/pretty-json.ts'
import type { JobSettings } from '#trpc/router.ts'

/** One header of the form. A secret that is stored is not known here: it stands as kept until a new value is typed. */
export interface HeaderDraft {
  /** Tells the rows apart while they are edited; never sent. */
  key: string
  name: string
  value: string
  isSecret: boolean
  isStored: boolean
}

/** What the form of a job holds, as it was typed. Empty numbers and choices are left to the defaults. */
export interface JobDraft {
  name: string
  description: string
  /** Separated by commas. */
  tags: string
  when: 'cron' | 'interval' | 'at'
  cron: string
  intervalMinutes: string
  at: string
  timezone: string
  url: string
  method: (typeof METHODS)[number]
  headers: HeaderDraft[]
  content: 'none' | 'json' | 'text'
  payload: string
  body: string
  contentType: string
  timeoutSeconds: string
  maxAttempts: string
  minBackoffSeconds: string
  maxBackoffSeconds: string
  backoffMultiplier: string
  retryOn4xx: boolean
  overlap: '' | 'skip' | 'queue' | 'allow'
  missed: '' | 'skip' | 'catch_up'
}

export function emptyDraft(timezone: string): JobDraft {
  return {
    name: '',
    description: '',
    tags: '',
    when: 'cron',
    cron: '0 3 * * *',
    intervalMinutes: '15',
    at: '',
    timezone,
    url: '',
    method: 'POST',
    headers: [],
    content: 'json',
    payload: '',
    body: '',
    contentType: '',
    timeoutSeconds: '',
    maxAttempts: '',
    minBackoffSeconds: '',
    maxBackoffSeconds: '',
    backoffMultiplier: '',
    retryOn4xx: false,
    overlap: '',
    missed: '',
  }
}

function whenOf(job: JobSettings['job']): JobDraft['when'] {
  if (job.cron !== null) return 'cron'
  return job.interval_minutes === null ? 'at' : 'interval'
}

function contentOf({ job, payloadText }: Pick<JobSettings, 'job' | 'payloadText'>): JobDraft['content'] {
  if (payloadText !== null) return 'json'
  return job.body === undefined ? 'none' : 'text'
}

/** A job as the form shows it at first. */
export function draftOf({ job, payloadText }: Pick<JobSettings, 'job' | 'payloadText'>): JobDraft {
  return {
    name: job.name,
    description: job.description,
    tags: job.tags.join(', '),
    when: whenOf(job),
    cron: job.cron ?? '',
    intervalMinutes: String(job.interval_minutes ?? ''),
    at: job.at ?? '',
    timezone: job.timezone,
    url: job.url ?? '',
    method: job.method ?? 'POST',
    headers: Object.entries(job.headers ?? {}).map(([name, value]) => ({
      key: name,
      name,
      value: typeof value === 'string' ? value : '',
      isSecret: typeof value !== 'string',
      isStored: typeof value !== 'string',
    })),
    content: contentOf({ job, payloadText }),
    payload: payloadText === null ? '' : (prettyJson(payloadText) ?? payloadText),
    body: job.body ?? '',
    contentType: job.content_type ?? '',
    timeoutSeconds: String(job.timeout_seconds ?? ''),
    maxAttempts: String(job.max_attempts),
    minBackoffSeconds: String(job.min_backoff_seconds),
    maxBackoffSeconds: String(job.max_backoff_seconds),
    backoffMultiplier: String(job.backoff_multiplier),
    retryOn4xx: job.retry_on_4xx,
    overlap: job.overlap,
    missed: job.missed,
  }
}

/** What a header's value is sent as: the mask keeps what is stored under its name. */
export function headerValue(header: HeaderDraft): string | { secret: string } {
  if (!header.isSecret) return header.value
  return { secret: header.isStored && header.value === '' ? SECRET_MASK : header.value }
}

/** Requests that carry no body. */
export function hasNoBody(method: JobDraft['method']): boolean {
  return method === 'GET' || method === 'HEAD'
}
