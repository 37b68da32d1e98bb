import { instantText, RUN_STATES, RUN_TRIGGERS, wholeNumber, wireText } from '@workly/core'
import { isCursor } from '@workly/services'
import { z } from 'zod'

/** Queries of lists (spec section 8): a query's values are text, so numbers are read from digits alone. */

const limit = z
  .preprocess(
    text => (typeof text === 'string' && /^\d{1,9}$/.test(text) ? Number(text) : text),
    wholeNumber(1, 200),
  )
  .optional()
  .meta({ description: 'How many to answer, 1 to 200. Default 50.' })

const cursor = wireText(1_000)
  .refine(isCursor, 'Send the next_cursor of the page before, as it was.')
  .optional()
  .meta({ description: 'The `next_cursor` of the page before, as it was given.' })

const instant = instantText.meta({ format: 'date-time', example: '2026-12-01T00:00:00Z' })

export const jobListQuery = z.strictObject({
  state: z
    .enum(['active', 'paused', 'completed'], 'active, paused or completed')
    .optional()
    .meta({ description: 'Only jobs in this state.' }),
  kind: z
    .enum(['http', 'image', 'pipeline'], 'http, image or pipeline')
    .optional()
    .meta({ description: 'Only jobs of this kind.' }),
  search: wireText(200)
    .optional()
    .meta({ description: 'Only jobs whose name or description holds this text.' }),
  tag: wireText(64).optional().meta({ description: 'Only jobs with this tag.' }),
  limit,
  cursor,
})

const runFilters = {
  state: z
    .enum(RUN_STATES, `one of ${RUN_STATES.join(', ')}`)
    .optional()
    .meta({ description: 'Only runs in this state.' }),
  trigger: z
    .enum(RUN_TRIGGERS, `one of ${RUN_TRIGGERS.join(', ')}`)
    .optional()
    .meta({ description: 'Only runs started this way.' }),
  from: instant.optional().meta({ description: 'Only runs scheduled at or after this instant.' }),
  to: instant.optional().meta({ description: 'Only runs scheduled at or before this instant.' }),
  limit,
  cursor,
}

export const jobRunsQuery = z.strictObject(runFilters)

export const runListQuery = z.strictObject({
  job: wireText(100).optional().meta({ description: 'Only runs of the job with this name.' }),
  ...runFilters,
})

export const timesQuery = z.strictObject({
  from: instant.optional().meta({ description: 'From this instant on. Default: a week before `to`.' }),
  to: instant.optional().meta({ description: 'Up to this instant. Default: now.' }),
  limit,
  cursor,
})
