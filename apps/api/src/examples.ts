import {
  type Attempt,
  type backfill,
  ERROR_CODES,
  type ErrorCode,
  type Job,
  type JobListItem,
  type JobPatch,
  type JobPut,
  type ledgerEntry,
  type Preview,
  type Run,
  type RunListItem,
  type SchedulePreview,
  WorklyError,
} from '@workly/core'
import type { z } from 'zod'
import { type Problem, problemOf } from './problem.ts'

/** The nightly report that the guides are about, as the reference shows it in every call. */
export const EXAMPLE_PUT = {
  cron: '0 3 * * *',
  timezone: 'Europe/Stockholm',
  url: 'https://api.example.com/reports/nightly',
  payload: { kind: 'daily' },
} satisfies JobPut

/** A container that reads the organization's secrets, reports nothing and is done when it exits. */
export const EXAMPLE_IMAGE_PUT = {
  cron: '0 4 * * *',
  timezone: 'Europe/Madrid',
  image: {
    name: 'team/report',
    tag: '1.4.0',
    args: ['--day', 'yesterday'],
    env: { LOG_LEVEL: 'info', API_TOKEN: { secret: 'a-token' } },
    env_from: [{ secret: 'database' }, { config_map: 'report', prefix: 'REPORT_' }],
    timeout_seconds: 900,
  },
} satisfies JobPut

/** A call that hands over to a container, which reports that it is done. */
export const EXAMPLE_MIXED_PUT = {
  cron: '0 2 * * *',
  timezone: 'Europe/Madrid',
  steps: [
    { id: 'export', url: 'https://api.example.com/exports', payload: { kind: 'daily' } },
    {
      id: 'train',
      image: { name: 'team/trainer', tag: '2.0.1', timeout_seconds: 7200, max_wait_seconds: 7200 },
      max_attempts: 2,
    },
  ],
} satisfies JobPut

/** What the guides' time-series trainer is: export the data, then train on it. */
export const EXAMPLE_PIPELINE_PUT = {
  cron: '0 2 * * *',
  timezone: 'Europe/Madrid',
  steps: [
    {
      id: 'export',
      url: 'https://api.example.com/exports',
      payload: { kind: 'daily' },
      response: { callback: { max_wait_seconds: 600 } },
    },
    { id: 'train', url: 'https://api.example.com/trainings', timeout_seconds: 300, max_attempts: 1 },
  ],
} satisfies JobPut

export const EXAMPLE_PATCH = { max_attempts: 5, tags: ['reports'] } satisfies JobPatch

export const EXAMPLE_JOB_ITEM: JobListItem = {
  id: 'job_01kbb2c4m8r0v3x5z7b9d1f3h5',
  name: 'nightly-report',
  kind: 'http',
  state: 'active',
  description: '',
  tags: [],
  cron: '0 3 * * *',
  interval_minutes: null,
  at: null,
  timezone: 'Europe/Stockholm',
  dialect: 'standard',
  from: null,
  to: null,
  url: 'https://api.example.com/reports/nightly',
  method: 'POST',
  headers: {},
  payload: { kind: 'daily' },
  response: 'sync',
  timeout_seconds: 30,
  max_attempts: 3,
  min_backoff_seconds: 5,
  max_backoff_seconds: 300,
  backoff_multiplier: 2,
  retry_on_4xx: false,
  overlap: 'skip',
  missed: 'skip',
  next_run_at: '2026-12-02T02:00:00Z',
  last_run: {
    id: 'run_01kbbb1j6c0s2v4y6a8c0e2g4j',
    state: 'succeeded',
    scheduled_for: '2026-12-01T02:00:00Z',
    finished_at: '2026-12-01T02:00:01.210Z',
  },
  created_at: '2026-11-30T21:30:12.345Z',
  updated_at: '2026-11-30T21:30:12.345Z',
}

export const EXAMPLE_JOB: Job = {
  ...EXAMPLE_JOB_ITEM,
  next_runs: [
    '2026-12-02T02:00:00Z',
    '2026-12-03T02:00:00Z',
    '2026-12-04T02:00:00Z',
    '2026-12-05T02:00:00Z',
    '2026-12-06T02:00:00Z',
  ],
  warnings: [],
}

export const EXAMPLE_RUN_ITEM: RunListItem = {
  id: 'run_01kbbb1j6c0s2v4y6a8c0e2g4j',
  job: 'nightly-report',
  job_id: 'job_01kbb2c4m8r0v3x5z7b9d1f3h5',
  state: 'succeeded',
  skip_reason: null,
  trigger: 'schedule',
  scheduled_for: '2026-12-01T02:00:00Z',
  created_at: '2026-12-01T02:00:00.120Z',
  started_at: '2026-12-01T02:00:00.180Z',
  finished_at: '2026-12-01T02:00:01.210Z',
  next_attempt_at: null,
  attempts_made: 1,
  error: null,
  finished_out_of_time: false,
}

const request: Run['request'] = {
  kind: 'http',
  url: 'https://api.example.com/reports/nightly',
  method: 'POST',
  headers: {},
  body: '{"kind":"daily"}',
  content_type: 'application/json',
  response: 'sync',
  timeout_seconds: 30,
}

export const EXAMPLE_ATTEMPT: Attempt = {
  id: 'att_01kbbb1j8a1t3w5z7b9d1f3h5k',
  number: 1,
  step: null,
  state: 'succeeded',
  started_at: '2026-12-01T02:00:00.180Z',
  finished_at: '2026-12-01T02:00:01.210Z',
  timings: { dns_ms: 3, connect_ms: 12, tls_ms: 24, first_byte_ms: 1012, total_ms: 1030 },
  response: {
    status: 200,
    headers: { 'content-type': 'application/json' },
    body: '{"ok":true}',
    body_encoding: 'utf8',
    truncated: false,
  },
  container: null,
  error: null,
  callback: null,
  next_attempt_at: null,
  next_attempt_reason: null,
  late_result: null,
}

export const EXAMPLE_RUN: Run = {
  ...EXAMPLE_RUN_ITEM,
  cancel_requested_at: null,
  request,
  steps: [],
  attempts: [EXAMPLE_ATTEMPT],
  late_result: null,
}

/** A run by hand that has just been made. */
export const EXAMPLE_NEW_RUN: Run = {
  ...EXAMPLE_RUN,
  id: 'run_01kbbc5p3e2v4x6z8b0d2f4h6k',
  state: 'pending',
  trigger: 'manual',
  scheduled_for: '2026-12-01T02:19:42.123Z',
  created_at: '2026-12-01T02:19:42.123Z',
  started_at: null,
  finished_at: null,
  attempts_made: 0,
  attempts: [],
}

export const EXAMPLE_PREVIEW_INPUT = {
  cron: '0 3 * * *',
  timezone: 'Europe/Stockholm',
  count: 3,
} satisfies SchedulePreview

export const EXAMPLE_PREVIEW: Preview = {
  next_runs: ['2026-12-02T02:00:00Z', '2026-12-03T02:00:00Z', '2026-12-04T02:00:00Z'],
  description: 'Every day at 03:00',
  warnings: [],
}

const PROBLEM_DETAIL: Partial<Record<ErrorCode, string>> = {
  invalid_request: 'max_attempts: a whole number from 1 to 50',
  unauthorized: 'The API key is not valid.',
  forbidden: 'This needs an API key with scope write; this key has read.',
  not_found: 'There is no job named "nightly-report" in this project.',
  precondition_failed: 'The job has changed since you read it; read it again.',
  payload_too_large: 'The request is larger than the limit of 2097152 bytes.',
  rate_limited: 'An API key may make 100 requests a second, 200 at once after a rest.',
}

/** How an error of that code may look. */
export function exampleProblem(code: ErrorCode): Problem {
  const errors =
    code === 'invalid_request' ? [{ field: 'max_attempts', message: 'a whole number from 1 to 50' }] : []
  const error = new WorklyError(code, PROBLEM_DETAIL[code] ?? `${ERROR_CODES[code].title}.`, {
    issues: errors,
  })
  return problemOf(error, 'rqs_01kbbc7m2n4p6q8r0s2t4v6w8x', 'https://workly.example.com')
}

export const EXAMPLE_BACKFILL = {
  dry_run: true,
  times: 29,
  created: 2,
  retried: 1,
  unchanged: 26,
  unknown: 0,
  runs: [],
} satisfies z.infer<typeof backfill>

export const EXAMPLE_LEDGER = {
  data: [
    {
      scheduled_for: '2026-11-30T02:00:00Z',
      outcome: 'skipped',
      reason: 'Another run of the job was still going (overlap).',
      run: { id: 'run_01kbbb1j6c0s2v4y6a8c0e2g4h', state: 'skipped', trigger: 'schedule' },
      current_schedule: true,
    },
  ],
  next_cursor: null,
} satisfies { data: z.infer<typeof ledgerEntry>[]; next_cursor: string | null }
