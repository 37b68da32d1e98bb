import { WorklyError } from '@workly/core'
import { recordCallback } from '@workly/services'
import { CallbackBody } from '../named-schemas.ts'
import { type Operation, operation } from '../operation.ts'

/** What a report says, whichever address it comes to. */
export const callbackBody = {
  schema: CallbackBody,
  required: true,
  example: { result: 'OK', description: '1,204 rows exported' },
} as const

/** Where targets of callback requests report that their work is done (spec section 5). */
export const CALLBACK_OPERATION: Operation = operation({
  method: 'post',
  path: '/v1/callbacks/{attempt}/{token}',
  id: 'reportCallback',
  tag: 'Callbacks',
  summary: 'Report that the work is done',
  description:
    'The address is the one in the `callback` header of the call; its token is the proof. `ERROR`, `TIMEOUT` and ' +
    '`CANCELLED` (in any case) fail the attempt, any other result succeeds it. A repeat changes nothing. One that comes ' +
    'after the wait is kept with the run as late. Needs no API key; with one of scope `run` any token will do. The right ' +
    'token is always taken; 429 is for an address that sent too many wrong ones.',
  scope: 'run',
  open: true,
  body: callbackBody,
  answers: { 204: { description: 'Taken.' } },
  problems: [404],
  async handle({ ctx, param, body }) {
    const attempt = param('attempt')
    try {
      await recordCallback(ctx.services, attempt, { token: param('token') }, body)
    } catch (error) {
      const wrongToken = error instanceof WorklyError && error.code === 'not_found'
      if (!wrongToken || ctx.projectId === '') throw error
      await recordCallback(ctx.services, attempt, { ctx }, body)
    }
    return { status: 204 }
  },
})
