import { type FieldIssue, HTTP_FIELDS, type JobPut, type PipelineStep, RETRY_FIELDS } from '@workly/core'
import type { Services } from '../context.ts'
import type { LimitDefaults } from '../limits.ts'
import { isGiven } from './is-given.ts'
import { type DraftTarget, readTarget } from './read-target.ts'
import type { StoredStep } from './stored-request.ts'

/** A step as it was sent, secrets not yet stored. */
export type DraftStep = DraftTarget & Pick<StoredStep, 'id' | 'retry'>

export interface DraftPipeline {
  kind: 'pipeline'
  steps: DraftStep[]
}

/** What a job does, as it was sent, secrets not yet stored. */
export type DraftRequest = DraftTarget | DraftPipeline

/**
 * Checks what the steps of a pipeline say and fills in their defaults (spec section 3), adding what is wrong to `issues`
 * under its place, such as `steps[1].url`. A job with steps has neither request nor image
 * beside them.
 */
export function readPipeline(
  input: Omit<JobPut, 'steps'>,
  steps: readonly PipelineStep[],
  defaults: { timeout_seconds?: number | null | undefined },
  services: Services,
  limits: LimitDefaults,
  issues: FieldIssue[],
): DraftPipeline {
  for (const field of [...HTTP_FIELDS, 'image'] as const) {
    if (isGiven(input, field))
      issues.push({ field, message: 'A pipeline has it in each of its steps; give it there, or no steps.' })
  }
  const places = new Map<string, number>()
  return {
    kind: 'pipeline',
    steps: steps.map((step, i) => {
      const found: FieldIssue[] = []
      const earlier = places.get(step.id)
      if (earlier === undefined) places.set(step.id, i)
      else
        found.push({ field: 'id', message: `steps[${earlier}] has this id already; each step has its own.` })
      const target = readTarget(step, defaults, services, limits, found)
      issues.push(...found.map(issue => ({ ...issue, field: `steps[${i}].${issue.field}` })))
      return { ...target, id: step.id, ...ownRetry(step) }
    }),
  }
}

function ownRetry(step: PipelineStep): Pick<StoredStep, 'retry'> {
  const given = RETRY_FIELDS.filter(field => isGiven(step, field)).map(field => [field, step[field]])
  return given.length === 0 ? {} : { retry: Object.fromEntries(given) }
}
