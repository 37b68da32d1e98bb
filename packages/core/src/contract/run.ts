import { z } from 'zod'
import { ATTEMPT_STATES, RUN_STATES, RUN_TRIGGERS, STEP_STATES } from '../run-state.ts'
import { responseMode, shownHeaders } from './http-request.ts'
import { imageRead } from './image.ts'

/** Wire shapes of a run and its attempts (spec sections 5 and 8). */

const instant = z.string().meta({ format: 'date-time', examples: ['2026-12-01T02:00:00.000Z'] })
const milliseconds = z.number().nullable()

export const attempt = z.object({
  id: z.string(),
  number: z.int(),
  step: z.string().nullable(),
  state: z.enum(ATTEMPT_STATES),
  started_at: instant,
  finished_at: instant.nullable(),
  /** Milliseconds each part of the call took; null for what did not happen. */
  timings: z.object({
    dns_ms: milliseconds,
    connect_ms: milliseconds,
    tls_ms: milliseconds,
    first_byte_ms: milliseconds,
    total_ms: milliseconds,
  }),
  response: z
    .object({
      status: z.int(),
      headers: z.record(z.string(), z.string()),
      /** The first 64 KiB; base64 where it is not UTF-8 text. */
      body: z.string(),
      body_encoding: z.enum(['utf8', 'base64']),
      truncated: z.boolean(),
    })
    .nullable(),
  /** Of a container: how it ended and what it wrote. Null of a call. */
  container: z
    .object({
      /** Null where no process ended, or nobody kept how. */
      exit_code: z.int().nullable(),
      /** The last 64 KiB; null where there is none to be had. */
      log: z.string().nullable(),
      log_truncated: z.boolean(),
    })
    .nullable(),
  error: z.object({ class: z.string(), message: z.string() }).nullable(),
  /** Of a callback request whose call was accepted. */
  callback: z
    .object({
      deadline: instant.nullable(),
      received_at: instant.nullable(),
      result: z.string().nullable(),
      description: z.string().nullable(),
    })
    .nullable(),
  next_attempt_at: instant.nullable(),
  next_attempt_reason: z.string().nullable(),
  late_result: z.record(z.string(), z.unknown()).nullable(),
})
export type Attempt = z.infer<typeof attempt>

/** An HTTP request exactly as it was or will be sent, but for secrets. */
export const httpRunRequest = z.object({
  kind: z.literal('http'),
  url: z.string(),
  method: z.string(),
  headers: shownHeaders,
  body: z.string().nullable(),
  content_type: z.string().nullable(),
  response: responseMode,
  timeout_seconds: z.int(),
})
export type HttpRunRequest = z.infer<typeof httpRunRequest>

/** A container image exactly as it was or will be run, but for secrets and the registry before its name. */
export const imageRunRequest = z.object({ kind: z.literal('image'), ...imageRead.shape })
export type ImageRunRequest = z.infer<typeof imageRunRequest>

const id = { id: z.string() }
export const httpStepRunRequest = httpRunRequest.extend(id)
export const imageStepRunRequest = imageRunRequest.extend(id)
export const stepRunRequest = z.discriminatedUnion('kind', [httpStepRunRequest, imageStepRunRequest])

/** Every step of a pipeline exactly as it was or will be done. */
export const pipelineRunRequest = z.object({ kind: z.literal('pipeline'), steps: z.array(stepRunRequest) })

/** What a run does, by its kind. */
export const runRequest = z.discriminatedUnion('kind', [httpRunRequest, imageRunRequest, pipelineRunRequest])
export type RunRequest = z.infer<typeof runRequest>

/** How a step of a pipeline's run stands. */
export const runStep = z.object({
  id: z.string(),
  state: z.enum(STEP_STATES),
  started_at: instant.nullable(),
  finished_at: instant.nullable(),
  attempts_made: z.int(),
  /** Why it failed or was cancelled. */
  error: z.object({ class: z.string(), message: z.string() }).nullable(),
  /** What its callback reported, where one did. */
  result: z.string().nullable(),
  description: z.string().nullable(),
})
export type RunStep = z.infer<typeof runStep>

/** A run as lists show it: attempts counted, not listed. */
export const runListItem = z.object({
  id: z.string(),
  job: z.string(),
  job_id: z.string(),
  state: z.enum(RUN_STATES),
  skip_reason: z.enum(['overlap', 'missed']).nullable(),
  trigger: z.enum(RUN_TRIGGERS),
  scheduled_for: instant,
  created_at: instant,
  started_at: instant.nullable(),
  finished_at: instant.nullable(),
  next_attempt_at: instant.nullable(),
  attempts_made: z.int(),
  error: z.object({ class: z.string(), message: z.string() }).nullable(),
  finished_out_of_time: z.boolean(),
})
export type RunListItem = z.infer<typeof runListItem>

export const run = runListItem.extend({
  cancel_requested_at: instant.nullable(),
  request: runRequest,
  steps: z.array(runStep),
  attempts: z.array(attempt),
  late_result: z.record(z.string(), z.unknown()).nullable(),
})
export type Run = z.infer<typeof run>

/** The body of a retry. */
export const retryRequest = z.strictObject({
  /** For a pipeline: from its first step that did not succeed. Not given: from the first. */
  from_step: z.literal('failed', '"failed", or leave it out').nullish(),
})
export type RetryRequest = z.infer<typeof retryRequest>

/** A page of a list: newest first; `next_cursor` asks for the page after it. */
export function page<T extends z.ZodType>(item: T) {
  return z.object({ data: z.array(item), next_cursor: z.string().nullable() })
}
export interface Page<T> {
  data: T[]
  next_cursor: string | null
}
