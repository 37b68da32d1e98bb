import { z } from 'zod'
import { wholeNumber } from './wire-text.ts'

/** Wire shapes of the retry settings of a job, or of a step that has its own (spec section 4). */
export const retryShape = {
  max_attempts: wholeNumber(1, 50).nullish(),
  min_backoff_seconds: wholeNumber(0, 86_400).nullish(),
  max_backoff_seconds: wholeNumber(0, 86_400).nullish(),
  backoff_multiplier: z
    .number('a number from 1 to 10')
    .min(1, 'from 1 to 10')
    .max(10, 'from 1 to 10')
    .nullish(),
  retry_on_4xx: z.boolean('true or false').nullish(),
}

/** The fields of {@link retryShape}. */
export const RETRY_FIELDS = Object.keys(retryShape) as (keyof typeof retryShape)[]

export const retryRead = z.object({
  max_attempts: z.int(),
  min_backoff_seconds: z.int(),
  max_backoff_seconds: z.int(),
  backoff_multiplier: z.number(),
  retry_on_4xx: z.boolean(),
})
