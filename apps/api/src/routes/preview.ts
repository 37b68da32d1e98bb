import { SCHEDULE_FIELDS } from '@workly/core'
import { moreIssuesOf, previewSchedule } from '@workly/services'
import { EXAMPLE_PREVIEW, EXAMPLE_PREVIEW_INPUT } from '../examples.ts'
import { Preview, SchedulePreview } from '../named-schemas.ts'
import { type Operation, operation } from '../operation.ts'
import type { Mount } from './mount.ts'

/** What a schedule would do, without saving it. A job may be named `preview`: its own calls are no POSTs. */
export function previewOperation({ base, tag, noun }: Mount): Operation {
  return operation({
    method: 'post',
    path: `${base}/preview`,
    id: `preview${noun}`,
    tag,
    summary: 'Preview a schedule',
    description:
      'The next times after `after` (default now), `count` of them (default 5, up to 100), computed by the code that ' +
      'fires, with the schedule in words and warnings of what people usually did not mean.',
    scope: 'read',
    body: {
      schema: SchedulePreview,
      required: true,
      example: EXAMPLE_PREVIEW_INPUT,
      also: (ctx, sent, found) => moreIssuesOf(SCHEDULE_FIELDS, ctx, sent, found),
    },
    answers: { 200: { description: 'The next times.', schema: Preview, example: EXAMPLE_PREVIEW } },
    handle: async ({ ctx, body }) => ({ status: 200, body: await previewSchedule(ctx, body) }),
  })
}
