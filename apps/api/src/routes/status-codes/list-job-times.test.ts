import { NIGHTLY } from '../../../test/api-fixture.ts'
import {
  answers,
  notThere,
  OUR_FAULT,
  refuses,
  statusCodes,
  TOO_OFTEN,
  WITHOUT_KEY,
} from '../../../test/status-codes.ts'

statusCodes(['listJobTimes', 'listScheduleTimes'], {
  params: { name: 'nightly' },
  async given({ api, base }) {
    await api.call('PUT', `${base}/nightly`, { body: NIGHTLY })
  },
  rows: [
    answers(200, 'a job that is there', { key: 'read' }),
    answers(200, 'a range', { query: 'from=2026-01-01T00:00:00Z&to=2026-01-08T00:00:00Z&limit=1' }),
    refuses(400, 'invalid_request', 'a range of no instants, and a parameter that is none', {
      query: 'from=soon&to=later&limit=201&nonsense=1',
      fields: ['from', 'to', 'limit', 'nonsense'],
    }),
    refuses(400, 'invalid_request', 'a cursor that is none', { query: 'cursor=x', fields: ['cursor'] }),
    ...WITHOUT_KEY,
    ...notThere({ name: 'absent' }),
    TOO_OFTEN,
    ...OUR_FAULT,
  ],
})
