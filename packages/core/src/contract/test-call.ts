import { z } from 'zod'
import { httpShape, jobName } from './job.ts'
import { wholeNumber } from './wire-text.ts'

/** Longest a test call may take, in seconds (spec section 8). */
export const LONGEST_TEST_SECONDS = 30

/** The body of a test call: the request settings of a job, and the job whose stored secrets masks stand for. */
export const testCall = z.strictObject({
  ...httpShape,
  timeout_seconds: wholeNumber(1, LONGEST_TEST_SECONDS).nullish(),
  job: jobName.nullish(),
})
export type TestCall = z.infer<typeof testCall>
