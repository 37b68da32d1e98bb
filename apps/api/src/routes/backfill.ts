import { backfillJob, listTimes } from '@workly/services'
import { EXAMPLE_BACKFILL, EXAMPLE_LEDGER } from '../examples.ts'
import { timesQuery } from '../list-query.ts'
import { Backfill, BackfillRequest, LedgerPage } from '../named-schemas.ts'
import { type Operation, operation } from '../operation.ts'
import type { Mount } from './mount.ts'

/** What became of each scheduled time, and running past ones (spec sections 5 and 8). */
export function pastOperations({ base, tag, noun, word }: Mount): Operation[] {
  return [
    operation({
      method: 'get',
      path: `${base}/{name}/times`,
      id: `list${noun}Times`,
      tag,
      summary: 'What became of each scheduled time',
      description:
        'The ledger, oldest first: for each scheduled time of the range whether it ran, was skipped, missed or ' +
        `paused, and why, across edits of the ${word}, outages and retention. Default: the week up to now.`,
      scope: 'read',
      query: timesQuery,
      answers: { 200: { description: 'A page of the ledger.', schema: LedgerPage, example: EXAMPLE_LEDGER } },
      problems: [404],
      handle: async ({ ctx, param, query }) => ({
        status: 200,
        body: await listTimes(ctx, param('name'), query),
      }),
    }),
    operation({
      method: 'post',
      path: `${base}/{name}/backfill`,
      id: `backfill${noun}`,
      tag,
      summary: 'Run past times',
      description:
        'Up to 1,000 past times of the present schedule, one after the other: a time without a run gets one, a ' +
        'skipped, failed or cancelled run is retried, a succeeded one only with `only_missing: false`. `dry_run` counts.',
      scope: 'write',
      body: {
        schema: BackfillRequest,
        required: true,
        example: { from: '2026-11-01T00:00:00Z', to: '2026-11-30T00:00:00Z', dry_run: true },
      },
      answers: {
        200: { description: 'What was done, or would be.', schema: Backfill, example: EXAMPLE_BACKFILL },
      },
      problems: [404, 409],
      handle: async ({ ctx, param, body }) => ({
        status: 200,
        body: await backfillJob(ctx, param('name'), body),
      }),
    }),
  ]
}
