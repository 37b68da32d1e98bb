import { z } from 'zod'
import { httpShape } from './http-request.ts'
import { jobName } from './job.ts'
import { stepId } from './pipeline.ts'
import { wholeNumber } from './wire-text.ts'

/** Longest a test call may take, in seconds (spec section 8). */
export const LONGEST_TEST_SECONDS = 30

/** The body of a test call: request settings, and the job (and step) whose stored secrets masks stand for. */
export const testCall = z.strictObject({
  ...httpShape,
  /** Known only to be refused in clear words. */
  image: z
    .null('A test call is one HTTP request; an image runs as a run of a job: save the job and run it.')
    .optional(),
  timeout_seconds: wholeNumber(1, LONGEST_TEST_SECONDS).nullish(),
  job: jobName.nullish(),
  /** The step of `job` that is tried, where that is a pipeline. */
  step: stepId.nullish(),
})
export type TestCall = z.infer<typeof testCall>
