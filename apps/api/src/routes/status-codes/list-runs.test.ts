import { NIGHTLY } from '../../../test/api-fixture.ts'
import {
  answers,
  OUR_FAULT,
  refuses,
  statusCodes,
  TOO_OFTEN,
  WITHOUT_KEY,
} from '../../../test/status-codes.ts'

statusCodes(['listRuns'], {
  async given({ api, base }) {
    await api.call('PUT', `${base}/nightly`, { body: NIGHTLY })
    await api.call('PUT', `${base}/theirs`, { body: NIGHTLY, key: api.foreign.keys.write })
    await api.call('POST', `${base}/nightly/trigger`)
  },
  rows: [
    answers(200, 'nothing', { key: 'read' }),
    answers(200, 'every filter', { query: 'job=nightly&state=pending&limit=1' }),
    refuses(400, 'invalid_request', 'values that none of the filters has, and a parameter that is none', {
      query: 'state=asleep&from=soon&to=later&limit=0&nonsense=1',
      fields: ['state', 'from', 'to', 'limit', 'nonsense'],
    }),
    ...WITHOUT_KEY,
    refuses(404, 'not_found', 'the name of a job that another organization has', { query: 'job=theirs' }),
    TOO_OFTEN,
    ...OUR_FAULT,
  ],
})
