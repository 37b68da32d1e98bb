import { z } from 'zod'

/** Wire shapes of the organization scheduler's history (spec section 9): runs, in its words. */

export const SCHEDULER_TYPES = ['REST_REQUEST', 'IMAGE_EXECUTION', 'PIPELINE'] as const
export type SchedulerType = (typeof SCHEDULER_TYPES)[number]

export const EXECUTION_STATES = ['IN_PROGRESS', 'FINISHED', 'FINISHED OUT OF TIME'] as const
export type ExecutionState = (typeof EXECUTION_STATES)[number]

const instant = z.string().meta({ format: 'date-time', examples: ['2026-12-01T02:00:00Z'] })

export const executionStep = z
  .object({
    id: z.string(),
    state: z.enum(EXECUTION_STATES),
    /** `OK`, `ERROR`, `TIMEOUT`, `CANCELLED`, `SKIPPED`, `NOT_RUN`, or the callback's own text. */
    result: z.string().nullable(),
    description: z.string().nullable(),
  })
  .meta({ id: 'ExecutionStep', description: 'What came of one step of an execution.' })
export type ExecutionStep = z.infer<typeof executionStep>

export const execution = z
  .object({
    executionId: z.string(),
    schedulerType: z.enum(SCHEDULER_TYPES),
    schedulerId: z.string(),
    start: instant,
    end: instant.nullable(),
    state: z.enum(EXECUTION_STATES),
    steps: z.array(executionStep),
  })
  .meta({ id: 'Execution', description: 'One execution of a schedulation.' })
export type Execution = z.infer<typeof execution>
