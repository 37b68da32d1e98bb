import {
  imageSchedulation,
  imageSchedulationRead,
  pipelineSchedulation,
  pipelineSchedulationRead,
  restRequestSchedulation,
  restRequestSchedulationRead,
} from '@workly/core'
import { deleteJob, listJobs, type ProjectContext, postJob } from '@workly/services'
import { z } from 'zod'
import { type Operation, operation } from '../../operation.ts'
import { moreSchedulationIssues, schedulerError } from './all-issues.ts'
import { IMAGE_EXECUTION, PIPELINE, REST_REQUEST, SCHEDULER_BASE, type SchedulerKind } from './kinds.ts'
import {
  EXAMPLE_IMAGE_EXECUTION,
  EXAMPLE_IMAGE_EXECUTION_READ,
  EXAMPLE_PIPELINE,
  EXAMPLE_PIPELINE_READ,
  EXAMPLE_REST_REQUEST,
  EXAMPLE_REST_REQUEST_READ,
} from './scheduler-examples.ts'
import { jobOf, type Schedulation } from './to-job.ts'
import { schedulationOf } from './to-schedulation.ts'

/** The shapes of one kind: as it is sent, and as it is shown. */
interface Shapes {
  sent: z.ZodType<Schedulation>
  example: Schedulation
  shown: z.ZodType
  exampleShown: unknown
}

const tag = 'Organization scheduler'

/** Create, list and delete schedulations of one kind (spec section 9). */
function schedulationOperations(kind: SchedulerKind, shapes: Shapes): Operation[] {
  const base = `${SCHEDULER_BASE}/${kind.path}`
  return [
    operation({
      method: 'post',
      path: base,
      id: `create${kind.noun}`,
      tag,
      summary: `Create a ${kind.word}`,
      description:
        'It must not exist yet, as any kind. It makes a job of that name with one attempt per run, `overlap` skip and ' +
        "`dialect` extended; the project's defaults are not filled in.",
      scope: 'write',
      body: {
        schema: shapes.sent,
        required: true,
        example: shapes.example,
        also: moreSchedulationIssues,
      },
      answers: {
        201: { description: 'It was created.', schema: shapes.shown, example: shapes.exampleShown },
      },
      problems: [404, 409],
      async handle({ ctx, body }) {
        try {
          return { status: 201, body: schedulationOf(await postJob(ctx, body.id, jobOf(body))) }
        } catch (error) {
          throw schedulerError(error, body)
        }
      },
    }),
    operation({
      method: 'get',
      path: base,
      id: `list${kind.noun}s`,
      tag,
      summary: `List ${kind.word}s`,
      description:
        'All of them, the newest first; those made elsewhere too. Secrets are masked. What these words cannot say ' +
        '(retries, overlap, tags, pause) is in `/v1/jobs`.',
      scope: 'read',
      answers: {
        200: {
          description: `The ${kind.word}s.`,
          schema: z.array(shapes.shown),
          example: [shapes.exampleShown],
        },
      },
      problems: [404],
      handle: async ({ ctx }) => ({ status: 200, parts: await pagesOf(ctx, kind) }),
    }),
    operation({
      method: 'delete',
      path: `${base}/{${kind.id}}`,
      id: `delete${kind.noun}`,
      tag,
      summary: `Delete a ${kind.word}`,
      description: 'At once, with its executions: nothing more is delivered, and the id is free again.',
      scope: 'write',
      answers: { 204: { description: 'It is gone.' } },
      problems: [404],
      async handle({ ctx, param }) {
        await deleteJob(ctx, param(kind.id), { kind: kind.kind })
        return { status: 204 }
      },
    }),
  ]
}

/** All jobs of a kind, page by page, so that their number is no matter; the first page is read at once. */
async function pagesOf(ctx: ProjectContext, { kind }: SchedulerKind): Promise<AsyncIterable<unknown[]>> {
  const read = (cursor?: string) => listJobs(ctx, { kind, limit: 200, cursor })
  const first = await read()
  return (async function* () {
    for (let page = first; ; page = await read(page.next_cursor)) {
      yield page.data.map(schedulationOf)
      if (page.next_cursor === null) return
    }
  })()
}

export const SCHEDULATION_OPERATIONS: readonly Operation[] = [
  ...schedulationOperations(REST_REQUEST, {
    sent: restRequestSchedulation,
    example: EXAMPLE_REST_REQUEST,
    shown: restRequestSchedulationRead,
    exampleShown: EXAMPLE_REST_REQUEST_READ,
  }),
  ...schedulationOperations(IMAGE_EXECUTION, {
    sent: imageSchedulation,
    example: EXAMPLE_IMAGE_EXECUTION,
    shown: imageSchedulationRead,
    exampleShown: EXAMPLE_IMAGE_EXECUTION_READ,
  }),
  ...schedulationOperations(PIPELINE, {
    sent: pipelineSchedulation,
    example: EXAMPLE_PIPELINE,
    shown: pipelineSchedulationRead,
    exampleShown: EXAMPLE_PIPELINE_READ,
  }),
]
