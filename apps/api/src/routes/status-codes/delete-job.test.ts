import { NIGHTLY } from '../../../test/api-fixture.ts'
import {
  answers,
  keyOfScope,
  notThere,
  OUR_FAULT,
  refuses,
  statusCodes,
  TOO_OFTEN,
  UNKNOWN_PARAMETER,
  WITHOUT_KEY,
} from '../../../test/status-codes.ts'

statusCodes(['deleteJob', 'deleteSchedule'], {
  params: { name: 'nightly' },
  async given({ api, base }) {
    await api.call('PUT', `${base}/nightly`, { body: NIGHTLY })
  },
  rows: [
    UNKNOWN_PARAMETER,
    ...WITHOUT_KEY,
    keyOfScope('run'),
    ...notThere({ name: 'absent' }),
    refuses(412, 'precondition_failed', 'If-Match of another version', { headers: { 'If-Match': '"x"' } }),
    TOO_OFTEN,
    ...OUR_FAULT,
    answers(204, 'a job that is there'),
    refuses(404, 'not_found', 'the same again'),
  ],
})
