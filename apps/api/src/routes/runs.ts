import { cancelRun, getRun, listRuns, retryRun, untilGone } from '@workly/services'
import { z } from 'zod'
import { EXAMPLE_NEW_RUN, EXAMPLE_RUN, EXAMPLE_RUN_ITEM } from '../examples.ts'
import { runListQuery } from '../list-query.ts'
import { RetryRequest, Run, RunPage } from '../named-schemas.ts'
import { type Operation, operation } from '../operation.ts'

const nothing = { schema: z.strictObject({}), required: false } as const
const tag = 'Runs'

/** Runs across jobs (spec section 8). */
export const RUN_OPERATIONS: readonly Operation[] = [
  operation({
    method: 'get',
    path: '/v1/runs',
    id: 'listRuns',
    tag,
    summary: 'List runs',
    description: 'Over all jobs of the project, the newest first.',
    scope: 'read',
    query: runListQuery,
    answers: {
      200: {
        description: 'A page of runs.',
        schema: RunPage,
        example: { data: [EXAMPLE_RUN_ITEM], next_cursor: null },
      },
    },
    problems: [404],
    handle: async ({ ctx, query }) => ({ status: 200, body: await listRuns(ctx, query) }),
  }),
  operation({
    method: 'get',
    path: '/v1/runs/{id}',
    id: 'getRun',
    tag,
    summary: 'Get a run',
    description: 'With the request as it was or will be sent, the steps of a pipeline, and every attempt.',
    scope: 'read',
    answers: { 200: { description: 'The run.', schema: Run, example: EXAMPLE_RUN } },
    problems: [404],
    handle: async ({ ctx, param }) => ({ status: 200, body: await getRun(ctx, param('id')) }),
  }),
  operation({
    method: 'post',
    path: '/v1/runs/{id}/retry',
    id: 'retryRun',
    tag,
    summary: 'Retry a run',
    description:
      'Delivers a finished or skipped run again, with a fresh set of attempts; earlier ones are kept. A pipeline starts ' +
      'at its first step, or with `from_step` at the one that failed.',
    scope: 'run',
    body: { schema: RetryRequest, required: false, example: { from_step: 'failed' } },
    answers: { 200: { description: 'The run, pending again.', schema: Run, example: EXAMPLE_NEW_RUN } },
    problems: [404, 409],
    handle: async ({ ctx, param, body }) => ({ status: 200, body: await retryRun(ctx, param('id'), body) }),
  }),
  operation({
    method: 'post',
    path: '/v1/runs/{id}/cancel',
    id: 'cancelRun',
    tag,
    summary: 'Cancel a run',
    description:
      'A pending run never starts; a call under way is broken off within two seconds. A container is ended and removed, ' +
      'and the answer waits until it is gone, for a minute at most.',
    scope: 'run',
    body: nothing,
    answers: {
      200: { description: 'The run; nothing of it goes on.', schema: Run, example: EXAMPLE_RUN },
      202: { description: 'The run; its container takes longer to go.', schema: Run, example: EXAMPLE_RUN },
    },
    problems: [404, 409],
    handle: async ({ ctx, param }) => ({ status: 200, body: (await cancelRun(ctx, param('id'))).run }),
    settles: (ctx, param, withinMs) => untilGone(ctx, param('id'), withinMs),
  }),
]
