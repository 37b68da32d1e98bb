import type { MakeCall } from '@workly/services'
import { NIGHTLY } from '../../../test/api-fixture.ts'
import {
  answers,
  KEY_IN_USE,
  keyOfScope,
  NO_JSON_OBJECT,
  OUR_FAULT,
  refuses,
  type Site,
  statusCodes,
  TOO_LARGE,
  TOO_OFTEN,
  WITHOUT_KEY,
} from '../../../test/status-codes.ts'

/** A target that answers 200. */
const answering: MakeCall = async () => ({
  class: 'ok',
  message: null,
  status: 200,
  headers: {},
  body: new Uint8Array(),
  bodyTruncated: false,
  timings: { dns: 1, connect: 1, tls: 1, firstByte: 1, total: 1 },
  retryAfterMs: null,
})
const calling =
  (makeCall: MakeCall) =>
  ({ api }: Site) =>
    api.another({ makeCall })

statusCodes(['testJob', 'testSchedule'], {
  body: { url: NIGHTLY.url },
  rows: [
    answers(200, 'a request', { app: calling(answering) }),
    refuses(400, 'invalid_request', 'several fields that are wrong, and one that is none', {
      body: { ulr: NIGHTLY.url, method: 'SHOUT', headers: { Host: 'x' } },
      fields: ['ulr', 'method', 'headers.Host', 'url'],
      says: /Did you mean url\?/,
    }),
    ...NO_JSON_OBJECT,
    ...WITHOUT_KEY,
    keyOfScope('run'),
    refuses(404, 'not_found', 'the name of a job that another organization has', {
      body: { url: NIGHTLY.url, job: 'theirs' },
      async given({ api, base }) {
        await api.call('PUT', `${base}/theirs`, { body: NIGHTLY, key: api.foreign.keys.write })
      },
    }),
    ...KEY_IN_USE.map(row => ({ ...row, app: calling(answering) })),
    refuses(409, 'outcome_unknown', 'an Idempotency-Key whose first request died in the middle', {
      headers: { 'Idempotency-Key': 'died' },
      app: calling(answering),
      async by({ api }, send) {
        await send()
        await api.services.sql`
          update idempotency_keys set response_status = null, response_body = null,
            created_at = created_at - interval '61 seconds' where key = 'died'`
        return send()
      },
    }),
    TOO_LARGE,
    TOO_OFTEN,
    refuses(429, 'rate_limited', 'one test call more than may be under way', {
      limits: { test_calls_in_flight: 0 },
    }),
    ...OUR_FAULT,
  ],
})
