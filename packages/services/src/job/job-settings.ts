import {
  type FieldIssue,
  isBlockedHost,
  type JobPut,
  parseSchedule,
  type RetrySettings,
  type Schedule,
  ScheduleError,
  type ScheduleFields,
  shortestIntervalMs,
  type Warning,
} from '@workly/core'
import type { Services } from '../context.ts'
import type { LimitDefaults } from '../limits.ts'
import { type DraftRequest, readPipeline } from './read-pipeline.ts'
import { readTarget } from './read-target.ts'
import type { StoredRequest, StoredTarget } from './stored-request.ts'

/** What a job is set to besides its schedule and its request. */
export interface OtherSettings extends RetrySettings {
  overlap: 'skip' | 'queue' | 'allow'
  missed: 'skip' | 'catch_up'
  description: string
  tags: string[]
}

/** Everything a job is set to, defaults filled in. */
export interface JobSettings {
  /** Null when it cannot be read. */
  schedule: Schedule | null
  request: DraftRequest
  rest: OtherSettings
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

/**
 * Fills in the defaults and checks every setting (spec sections 2 to 4 and 6). What is wrong is added to `issues`, so
 * that a caller names each offending field at once.
 */
export function readSettings(
  input: JobPut,
  defaults: ProjectDefaults,
  services: Services,
  limits: LimitDefaults,
  createdAtMs: number,
  issues: FieldIssue[],
): JobSettings {
  const schedule = readSchedule(
    scheduleFieldsOf(input, defaults.timezone ?? 'UTC'),
    createdAtMs,
    limits,
    issues,
  )
  const request = input.steps
    ? readPipeline(input, input.steps, defaults, services, limits, issues)
    : readTarget(input, defaults, services, limits, issues)
  issues.push(...tagIssues(input.tags ?? [], limits))
  return { schedule, request, rest: readRest(input, defaults) }
}

function tagIssues(tags: string[], limits: LimitDefaults): FieldIssue[] {
  const messages = [
    ...(new Set(tags).size === tags.length ? [] : ['A tag stands twice.']),
    ...(tags.length <= limits.job_tags
      ? []
      : [`${tags.length} tags are given; at most ${limits.job_tags} are allowed.`]),
  ]
  return messages.map(message => ({ field: 'tags', message }))
}

function readRest(input: JobPut, defaults: ProjectDefaults): OtherSettings {
  return {
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

/** What to say about targets that are taken but will not be called. */
export function targetWarnings(request: StoredRequest, services: Services): Warning[] {
  if (request.kind !== 'pipeline') return blockedTarget(request, '', services)
  return request.steps.flatMap((step, i) => blockedTarget(step, `steps[${i}].`, services))
}

function blockedTarget(target: StoredTarget, place: string, services: Services): Warning[] {
  if (target.kind === 'image') return []
  const { hostname } = new URL(target.url)
  if (!isBlockedHost(hostname, services.allowedPrivate)) return []
  return [
    {
      code: 'blocked_target',
      field: `${place}url`,
      message: `${hostname} is not on the public internet and will not be called: its attempts fail with the class blocked.`,
    },
  ]
}
