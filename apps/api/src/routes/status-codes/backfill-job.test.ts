import { NIGHTLY } from '../../../test/api-fixture.ts'
import {
  answers,
  KEY_IN_USE,
  keyOfScope,
  NO_JSON_OBJECT,
  notThere,
  OUR_FAULT,
  refuses,
  statusCodes,
  TOO_LARGE,
  TOO_OFTEN,
  WITHOUT_KEY,
} from '../../../test/status-codes.ts'

statusCodes(['backfillJob', 'backfillSchedule'], {
  params: { name: 'nightly' },
  body: { from: '2026-01-01T00:00:00Z', to: '2026-01-03T00:00:00Z', dry_run: true },
  async given({ api, base }) {
    await api.call('PUT', `${base}/nightly`, { body: NIGHTLY })
  },
  rows: [
    answers(200, 'a range of the past'),
    refuses(400, 'invalid_request', 'no range, and a field that is none', {
      body: { from: 'soon', dry_rum: true },
      fields: ['from', 'to', 'dry_rum'],
      says: /Did you mean dry_run\?/,
    }),
    refuses(400, 'invalid_request', 'a range that ends in the future', {
      body: { from: '2026-01-01T00:00:00Z', to: '2099-01-01T00:00:00Z' },
      fields: ['to'],
    }),
    ...NO_JSON_OBJECT,
    ...WITHOUT_KEY,
    keyOfScope('run'),
    ...notThere({ name: 'absent' }),
    ...KEY_IN_USE,
    TOO_LARGE,
    TOO_OFTEN,
    ...OUR_FAULT,
  ],
})
