import { NIGHTLY } from '../../../test/api-fixture.ts'
import {
  answers,
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

statusCodes(['patchJob', 'patchSchedule'], {
  params: { name: 'nightly' },
  body: { description: 'Every night' },
  async given({ api, base }) {
    await api.call('PUT', `${base}/nightly`, { body: NIGHTLY })
  },
  rows: [
    answers(200, 'one setting'),
    refuses(400, 'invalid_request', 'several fields that are wrong, and one that is none', {
      body: { timout_seconds: 5, cron: '61 * * * *', overlap: 'never', tags: [7] },
      fields: ['timout_seconds', 'cron', 'overlap', 'tags[0]'],
      says: /Did you mean timeout_seconds\?/,
    }),
    ...NO_JSON_OBJECT,
    ...WITHOUT_KEY,
    keyOfScope('run'),
    ...notThere({ name: 'absent' }),
    refuses(412, 'precondition_failed', 'If-Match of another version', { headers: { 'If-Match': '"x"' } }),
    TOO_LARGE,
    TOO_OFTEN,
    ...OUR_FAULT,
  ],
})
