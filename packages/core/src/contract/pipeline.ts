import { z } from 'zod'
import { httpRead, httpShape } from './http-request.ts'
import { image, imageRead } from './image.ts'
import { retryRead, retryShape } from './retry.ts'

/** Wire shapes of a pipeline's steps (spec section 3). */

/** A step's id, unique in its pipeline. It goes into `webhook-id`, so it has no dot. */
export const STEP_ID = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/
const STEP_ID_WORDS = '1 to 64 letters, digits, underscores and hyphens, the first a letter or digit'
export const stepId = z.string(STEP_ID_WORDS).regex(STEP_ID, STEP_ID_WORDS)

export const FEWEST_STEPS = 2
export const MOST_STEPS = 50
const STEP_COUNT = `${FEWEST_STEPS} to ${MOST_STEPS} steps`

/** One step in a write: its id, what it sends or runs, and retry settings of its own, which stand before the job's. */
export const pipelineStep = z.strictObject(
  { id: stepId, ...httpShape, image: image.nullish(), ...retryShape },
  'a step: an object',
)
export type PipelineStep = z.infer<typeof pipelineStep>

/** The steps of a write, in order. That no id stands twice is checked with the rest of what they say. */
export function stepList<T extends z.ZodType>(step: T) {
  return z.array(step, `a list of ${STEP_COUNT}`).min(FEWEST_STEPS, STEP_COUNT).max(MOST_STEPS, STEP_COUNT)
}

/** One step as reads of a job show it: a request or an image, and of the retry settings only its own. */
export const pipelineStepRead = z.object({
  id: z.string(),
  ...httpRead.partial().shape,
  image: imageRead.optional(),
  ...retryRead.partial().shape,
})
export type PipelineStepRead = z.infer<typeof pipelineStepRead>
