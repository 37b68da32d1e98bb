import { z } from 'zod'
import { LEDGER_OUTCOMES, RUN_STATES, RUN_TRIGGERS } from '../run-state.ts'
import { httpRead, httpShape } from './http-request.ts'
import { image, imageRead } from './image.ts'
import { pipelineStep, pipelineStepRead, stepList } from './pipeline.ts'
import { retryRead, retryShape } from './retry.ts'
import { instantText, wholeNumber, wireText } from './wire-text.ts'

/** Wire shapes of a job (spec section 8): written once, for the API, the console, the SDK's types and OpenAPI. */

/** A job's name (spec section 1). */
export const JOB_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/
export const jobName = z
  .string()
  .regex(JOB_NAME, '1 to 100 letters, digits, dots, underscores and hyphens, the first a letter or digit')

/** When: exactly one of cron, interval_minutes and at. The expression itself is read by the schedule rules. */
export const scheduleShape = {
  cron: wireText(1_000).nullish(),
  interval_minutes: wholeNumber(1, 5_256_000).nullish(),
  at: wireText(64).nullish(),
  timezone: wireText(100).nullish(),
  dialect: z.enum(['standard', 'extended'], 'standard or extended').nullish(),
  from: wireText(64).nullish(),
  to: wireText(64).nullish(),
}

/** The fields of {@link scheduleShape}. */
export const SCHEDULE_FIELDS = Object.keys(scheduleShape) as (keyof typeof scheduleShape)[]

export const policyShape = {
  overlap: z.enum(['skip', 'queue', 'allow'], 'skip, queue or allow').nullish(),
  missed: z.enum(['skip', 'catch_up'], 'skip or catch_up').nullish(),
}

export const settingsShape = {
  ...scheduleShape,
  ...httpShape,
  /** In place of a request: a container image, or a pipeline. */
  image: image.nullish(),
  steps: stepList(pipelineStep).nullish(),
  ...retryShape,
  ...policyShape,
  description: wireText(2_000).nullish(),
  /** How many is the operator's to say (spec section 8, "Limits"). */
  tags: z.array(wireText(64).min(1, 'may not be empty'), 'a list of strings').nullish(),
}

const readOnly = z.unknown().optional()

/** Read-only fields of a job: allowed in a PUT, so that what was read can be sent back, and ignored there. */
export const readOnlyShape = {
  id: readOnly,
  name: readOnly,
  kind: readOnly,
  state: readOnly,
  next_run_at: readOnly,
  next_runs: readOnly,
  last_run: readOnly,
  created_at: readOnly,
  updated_at: readOnly,
  warnings: readOnly,
}

/** The body of PUT: exactly these settings, the rest at defaults. Null means "not given", but for `payload`. */
export const jobPut = z.strictObject({
  ...settingsShape,
  execute_now: z.boolean('true or false').nullish(),
  ...readOnlyShape,
})
export type JobPut = z.infer<typeof jobPut>

/** The body of PATCH: changes only what is given; null puts a setting back to its default, but for `payload`. */
export const jobPatch = z.strictObject(settingsShape)
export type JobPatch = z.infer<typeof jobPatch>

export const schedulePreview = z.strictObject({
  ...scheduleShape,
  after: instantText.nullish(),
  count: wholeNumber(1, 100).nullish(),
})
export type SchedulePreview = z.infer<typeof schedulePreview>

const instant = z.string().meta({ format: 'date-time', examples: ['2026-12-01T02:00:00.000Z'] })

export const warning = z.object({ code: z.string(), field: z.string(), message: z.string() })
export type Warning = z.infer<typeof warning>

/** How a job's latest run stands, in answers about the job. */
export const lastRun = z.object({
  id: z.string(),
  state: z.enum(RUN_STATES),
  scheduled_for: instant,
  finished_at: instant.nullable(),
})

const settingsRead = z.object({
  cron: z.string().nullable(),
  interval_minutes: z.int().nullable(),
  at: instant.nullable(),
  timezone: z.string(),
  dialect: z.enum(['standard', 'extended']),
  from: instant.nullable(),
  to: instant.nullable(),
  // A job of kind http has these, one of kind image its image, one of kind pipeline its steps.
  ...httpRead.partial().shape,
  image: imageRead.optional(),
  steps: z.array(pipelineStepRead).optional(),
  ...retryRead.shape,
  overlap: z.enum(['skip', 'queue', 'allow']),
  missed: z.enum(['skip', 'catch_up']),
  description: z.string(),
  tags: z.array(z.string()),
})

/** A job as lists show it: with `next_run_at`, without the computed `next_runs` and warnings. */
export const jobListItem = settingsRead.extend({
  id: z.string(),
  name: z.string(),
  kind: z.enum(['http', 'image', 'pipeline']),
  state: z.enum(['active', 'paused', 'completed']),
  next_run_at: instant.nullable(),
  last_run: lastRun.nullable(),
  created_at: instant,
  updated_at: instant,
})
export type JobListItem = z.infer<typeof jobListItem>

/** A job as every single-job answer shows it. */
export const job = jobListItem.extend({ next_runs: z.array(instant), warnings: z.array(warning) })
export type Job = z.infer<typeof job>

export const preview = z.object({
  next_runs: z.array(instant),
  description: z.string(),
  warnings: z.array(warning),
})
export type Preview = z.infer<typeof preview>

/** The body of a backfill. */
export const backfillRequest = z.strictObject({
  from: instantText,
  to: instantText,
  only_missing: z.boolean('true or false').nullish(),
  dry_run: z.boolean('true or false').nullish(),
})

/** What a backfill did, or would do. */
export const backfill = z.object({
  dry_run: z.boolean(),
  times: z.int(),
  created: z.int(),
  retried: z.int(),
  unchanged: z.int(),
  unknown: z.int(),
  runs: z.array(z.object({ id: z.string(), scheduled_for: instant })),
})

/** One line of the ledger: a scheduled time and what became of it. */
export const ledgerEntry = z.object({
  scheduled_for: instant,
  outcome: z.enum(LEDGER_OUTCOMES),
  reason: z.string(),
  run: z.object({ id: z.string(), state: z.enum(RUN_STATES), trigger: z.enum(RUN_TRIGGERS) }).nullable(),
  current_schedule: z.boolean(),
})
