import { z } from 'zod'
import { jobName } from '../job.ts'
import { stepId, stepList } from '../pipeline.ts'
import { imageExecution, imageExecutionRead } from './image-execution.ts'
import { requiredObject, withOneOf } from './one-of.ts'
import { restRequest, restRequestRead, restResponse, restResponseRead } from './rest-request.ts'
import { schedulerSchedule, schedulerScheduleRead } from './schedule.ts'

/** Wire shapes of the organization scheduler's schedulations (spec section 9): jobs, in its words. */

const isGiven = (value: unknown) => value !== undefined && value !== null

const common = { id: jobName, schedule: schedulerSchedule }
const commonRead = { id: z.string(), schedule: schedulerScheduleRead }

const rest = { restRequest, response: restResponse.nullish() }
const restRead = { restRequest: restRequestRead, response: restResponseRead }

export const restRequestSchedulation = z
  .strictObject({ ...common, ...rest })
  .meta({ id: 'RestRequestSchedulation', description: 'An HTTP call on a schedule.' })
export type RestRequestSchedulation = z.infer<typeof restRequestSchedulation>
export const restRequestSchedulationRead = z
  .object({ ...commonRead, ...restRead })
  .meta({ id: 'RestRequestSchedulationRead', description: 'An HTTP call on a schedule, as lists show it.' })
export type RestRequestSchedulationRead = z.infer<typeof restRequestSchedulationRead>

export const imageSchedulation = z
  .strictObject({ ...common, imageExecution })
  .meta({ id: 'ImageExecutionSchedulation', description: 'A container on a schedule.' })
export type ImageSchedulation = z.infer<typeof imageSchedulation>
export const imageSchedulationRead = z.object({ ...commonRead, imageExecution: imageExecutionRead }).meta({
  id: 'ImageExecutionSchedulationRead',
  description: 'A container on a schedule, as lists show it.',
})
export type ImageSchedulationRead = z.infer<typeof imageSchedulationRead>

/** A step is a REST request or an image execution; how it is known to be done is only said of a request. */
export const schedulerStep = withOneOf(
  z.strictObject(
    {
      id: stepId,
      restRequest: restRequest.nullish(),
      response: restResponse.nullish(),
      imageExecution: imageExecution.nullish(),
    },
    'a step: an object',
  ),
  ['restRequest', 'imageExecution'],
)
  .superRefine(
    (step, ctx) => {
      if (isGiven(step.imageExecution) && !isGiven(step.restRequest) && isGiven(step.response)) {
        const message = 'goes with a restRequest; the callback of an image execution is always waited for.'
        ctx.addIssue({ code: 'custom', path: ['response'], message })
      }
    },
    { when: ({ value }) => typeof value === 'object' && value !== null },
  )
  .meta({ id: 'SchedulerStep', description: 'One step of a pipeline.' })
export type SchedulerStep = z.infer<typeof schedulerStep>
export const schedulerStepRead = z
  .object({
    id: z.string(),
    restRequest: restRequestRead.optional(),
    response: restResponseRead.optional(),
    imageExecution: imageExecutionRead.optional(),
  })
  .meta({ id: 'SchedulerStepRead', description: 'One step of a pipeline, as lists show it.' })
export type SchedulerStepRead = z.infer<typeof schedulerStepRead>

/** The steps stand in `pipeline`; they are taken beside the schedule too. */
export const pipelineSchedulation = withOneOf(
  z.strictObject({
    ...common,
    pipeline: requiredObject({ steps: stepList(schedulerStep) }, '{"steps": [2 to 50 steps]}').nullish(),
    steps: stepList(schedulerStep).nullish(),
  }),
  ['pipeline', 'steps'],
).meta({ id: 'PipelineSchedulation', description: 'Steps in order, on a schedule.' })
export type PipelineSchedulation = z.infer<typeof pipelineSchedulation>
export const pipelineSchedulationRead = z
  .object({ ...commonRead, pipeline: z.object({ steps: z.array(schedulerStepRead) }) })
  .meta({ id: 'PipelineSchedulationRead', description: 'Steps in order, on a schedule, as lists show it.' })
export type PipelineSchedulationRead = z.infer<typeof pipelineSchedulationRead>
