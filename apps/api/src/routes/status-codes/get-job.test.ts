import { NIGHTLY } from '../../../test/api-fixture.ts'
import {
  answers,
  notThere,
  OUR_FAULT,
  statusCodes,
  TOO_OFTEN,
  UNKNOWN_PARAMETER,
  WITHOUT_KEY,
} from '../../../test/status-codes.ts'

statusCodes(['getJob', 'getSchedule'], {
  params: { name: 'nightly' },
  async given({ api, base }) {
    await api.call('PUT', `${base}/nightly`, { body: NIGHTLY })
  },
  rows: [
    answers(200, 'a job that is there', { key: 'read' }),
    UNKNOWN_PARAMETER,
    ...WITHOUT_KEY,
    ...notThere({ name: 'absent' }),
    TOO_OFTEN,
    ...OUR_FAULT,
  ],
})
