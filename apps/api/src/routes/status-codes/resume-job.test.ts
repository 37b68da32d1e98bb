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

statusCodes(['resumeJob', 'resumeSchedule'], {
  params: { name: 'nightly' },
  async given({ api, base }) {
    await api.call('PUT', `${base}/nightly`, { body: NIGHTLY })
  },
  rows: [
    answers(200, 'a job that is there', { key: 'run' }),
    refuses(400, 'invalid_request', 'a field, where none is taken', { body: { now: true }, fields: ['now'] }),
    ...NO_JSON_OBJECT,
    ...WITHOUT_KEY,
    keyOfScope('read'),
    ...notThere({ name: 'absent' }),
    refuses(412, 'precondition_failed', 'If-Match of another version', { headers: { 'If-Match': '"x"' } }),
    ...KEY_IN_USE,
    TOO_LARGE,
    TOO_OFTEN,
    ...OUR_FAULT,
  ],
})
