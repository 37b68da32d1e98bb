import { HTTP_FIELDS } from '@workly/core'
import { moreIssuesOf, testRequest } from '@workly/services'
import { EXAMPLE_ATTEMPT } from '../examples.ts'
import { Attempt, TestCall } from '../named-schemas.ts'
import { type Operation, operation } from '../operation.ts'
import type { Mount } from './mount.ts'

/** One real call, nothing saved. A job may be named `test`: its own calls are no POSTs. */
export function testOperation({ base, tag, noun, word }: Mount): Operation {
  return operation({
    method: 'post',
    path: `${base}/test`,
    id: `test${noun}`,
    tag,
    summary: 'Make a test call',
    description:
      'One real, signed call of at most 30 s with the given request settings; nothing is saved. Masked secrets stand ' +
      `for those stored with the ${word} named in \`job\`, while the origin of the URL is the same.`,
    scope: 'write',
    body: {
      schema: TestCall,
      required: true,
      example: { url: 'https://api.example.com/reports/nightly', payload: { kind: 'daily' } },
      also: (ctx, sent, found) => moreIssuesOf(HTTP_FIELDS, ctx, sent, found),
    },
    keyFromBefore: true,
    answers: { 200: { description: 'What came of the call.', schema: Attempt, example: EXAMPLE_ATTEMPT } },
    problems: [404, 409],
    handle: async ({ ctx, body, makeCall }) => ({
      status: 200,
      body: await testRequest(ctx, body, makeCall),
    }),
  })
}
