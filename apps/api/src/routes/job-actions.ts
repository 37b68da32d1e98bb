import { listRuns, pauseJob, resumeJob, triggerJob } from '@workly/services'
import { z } from 'zod'
import { EXAMPLE_JOB, EXAMPLE_NEW_RUN, EXAMPLE_RUN_ITEM } from '../examples.ts'
import { jobRunsQuery } from '../list-query.ts'
import { Job, Run, RunPage } from '../named-schemas.ts'
import { type Operation, operation } from '../operation.ts'
import { conditionOf, ETAG, IF_MATCH, LOCATION } from './job-headers.ts'
import type { Mount } from './mount.ts'

/** An action needs no body; one that is sent has no fields. */
const nothing = { schema: z.strictObject({}), required: false } as const

/** Run now, pause, resume, and the runs of one job (spec section 8). */
export function jobActions({ base, tag, noun, word }: Mount): Operation[] {
  const one = `${base}/{name}`
  return [
    operation({
      method: 'post',
      path: `${one}/trigger`,
      id: `trigger${noun}`,
      tag,
      summary: 'Run now',
      description: `Also while the ${word} is paused or completed. It does not change when it next runs.`,
      scope: 'run',
      body: nothing,
      answers: {
        201: { description: 'The run.', schema: Run, example: EXAMPLE_NEW_RUN, headers: [LOCATION] },
      },
      problems: [404, 409],
      async handle({ ctx, param }) {
        const made = await triggerJob(ctx, param('name'))
        return { status: 201, body: made, headers: { Location: `/v1/runs/${made.id}` } }
      },
    }),
    operation({
      method: 'post',
      path: `${one}/pause`,
      id: `pause${noun}`,
      tag,
      summary: `Pause a ${word}`,
      description: 'Pending runs finish. Times that pass while it is paused are not run.',
      scope: 'run',
      body: nothing,
      requestHeaders: [IF_MATCH],
      answers: {
        200: { description: `The ${word}, paused.`, schema: Job, example: EXAMPLE_JOB, headers: [ETAG] },
      },
      problems: [404, 409, 412],
      async handle({ ctx, param, header }) {
        const paused = await pauseJob(ctx, param('name'), conditionOf(header))
        return { status: 200, body: paused.job, headers: { ETag: paused.etag } }
      },
    }),
    operation({
      method: 'post',
      path: `${one}/resume`,
      id: `resume${noun}`,
      tag,
      summary: `Resume a ${word}`,
      description: 'It starts again from the next scheduled time.',
      scope: 'run',
      body: nothing,
      requestHeaders: [IF_MATCH],
      answers: { 200: { description: `The ${word}.`, schema: Job, example: EXAMPLE_JOB, headers: [ETAG] } },
      problems: [404, 409, 412],
      async handle({ ctx, param, header }) {
        const resumed = await resumeJob(ctx, param('name'), conditionOf(header))
        return { status: 200, body: resumed.job, headers: { ETag: resumed.etag } }
      },
    }),
    operation({
      method: 'get',
      path: `${one}/runs`,
      id: `list${noun}Runs`,
      tag,
      summary: `List the runs of a ${word}`,
      description: 'The newest first.',
      scope: 'read',
      query: jobRunsQuery,
      answers: {
        200: {
          description: 'A page of runs.',
          schema: RunPage,
          example: { data: [EXAMPLE_RUN_ITEM], next_cursor: null },
        },
      },
      problems: [404],
      handle: async ({ ctx, param, query }) => ({
        status: 200,
        body: await listRuns(ctx, { ...query, job: param('name') }),
      }),
    }),
  ]
}
