import { execution, jobName, SCHEDULER_TYPES, wholeNumber } from '@workly/core'
import {
  cancelExecution,
  type ExecutionAddress,
  listExecutions,
  MOST_EXECUTIONS,
  reportExecution,
  untilGone,
} from '@workly/services'
import { z } from 'zod'
import { type Operation, operation } from '../../operation.ts'
import { callbackBody } from '../callbacks.ts'
import { IMAGE_EXECUTION, PIPELINE, SCHEDULER_BASE, SCHEDULER_KINDS, type SchedulerKind } from './kinds.ts'
import { EXAMPLE_EXECUTION } from './scheduler-examples.ts'
import { shownExecution } from './show-execution.ts'

const tag = 'Organization scheduler'

/** The address of an execution; of a pipeline's, of one of its steps. */
function executionPath(kind: SchedulerKind): string {
  const step = kind === PIPELINE ? '/{stepId}' : ''
  return `${SCHEDULER_BASE}/${kind.path}/{${kind.id}}/execution/{executionId}${step}`
}

function addressOf(kind: SchedulerKind, param: (name: string) => string): ExecutionAddress {
  const stepId = kind === PIPELINE ? param('stepId') : null
  return { kind: kind.kind, job: param(kind.id), runId: param('executionId'), stepId }
}

function callbackOperation(kind: SchedulerKind): Operation {
  return operation({
    method: 'post',
    path: executionPath(kind),
    id: `report${kind.noun}`,
    tag,
    summary: `Report that a ${kind.word} is done`,
    description:
      'For the open attempt of that execution and step, else for the latest. The address that targets get in their ' +
      '`callback` header needs no API key and does the same. `ERROR`, `TIMEOUT` and `CANCELLED` (in any case) fail it.',
    scope: 'run',
    unpaced: true,
    body: callbackBody,
    answers: { 204: { description: 'Taken.' } },
    problems: [404],
    async handle({ ctx, param, body }) {
      await reportExecution(ctx, addressOf(kind, param), body)
      return { status: 204 }
    },
  })
}

function cancelOperation(kind: SchedulerKind): Operation {
  const what = kind === PIPELINE ? 'step of a pipeline' : kind.word
  return operation({
    method: 'delete',
    path: executionPath(kind),
    id: `cancel${kind.noun}`,
    tag,
    summary: `Cancel a running ${what}`,
    description:
      'Its container is removed, and the answer waits until it is gone, for a minute at most; a call under way is broken ' +
      'off. The schedulation itself is untouched.',
    scope: 'run',
    answers: {
      204: { description: 'Cancelled, and nothing of it goes on.' },
      202: { description: 'Cancelled; its container takes longer to go.' },
    },
    problems: [404, 409],
    async handle({ ctx, param }) {
      await cancelExecution(ctx, addressOf(kind, param))
      return { status: 204 }
    },
    settles: (ctx, param, withinMs) => untilGone(ctx, param('executionId'), withinMs),
  })
}

const historyQuery = z.strictObject({
  schedulerType: z
    .enum(SCHEDULER_TYPES, `one of ${SCHEDULER_TYPES.join(', ')}`)
    .optional()
    .meta({ description: 'Only executions of this type.' }),
  schedulerId: jobName.optional().meta({ description: 'Only executions of this schedulation.' }),
  limit: z
    .preprocess(
      text => (typeof text === 'string' && /^\d{1,9}$/.test(text) ? Number(text) : text),
      wholeNumber(1, MOST_EXECUTIONS),
    )
    .optional()
    .meta({ description: `How many to answer, 1 to ${MOST_EXECUTIONS}. Default 100.` }),
})

const historyOperation = operation({
  method: 'get',
  path: `${SCHEDULER_BASE}/history`,
  id: 'listExecutions',
  tag,
  summary: 'Read the history',
  description:
    'The newest first, skipped executions too. `state` is `IN_PROGRESS` until an execution has ended; how it ended is in ' +
    'the `result` of its steps. Of a schedulation that is not there, there are none.',
  scope: 'read',
  query: historyQuery,
  answers: {
    200: { description: 'The executions.', schema: z.array(execution), example: [EXAMPLE_EXECUTION] },
  },
  problems: [404],
  async handle({ ctx, query: { schedulerType, schedulerId, limit } }) {
    const kind = SCHEDULER_KINDS.find(({ type }) => type === schedulerType)?.kind
    const runs = await listExecutions(ctx, { kind, job: schedulerId, limit })
    return { status: 200, body: runs.map(shownExecution) }
  },
})

/** Callbacks and cancels that name the execution, and the history (spec section 9). */
export const EXECUTION_OPERATIONS: readonly Operation[] = [
  ...SCHEDULER_KINDS.map(callbackOperation),
  ...[IMAGE_EXECUTION, PIPELINE].map(cancelOperation),
  historyOperation,
]
