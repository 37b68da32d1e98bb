import { NIGHTLY } from '../../../test/api-fixture.ts'
import {
  answers,
  OUR_FAULT,
  refuses,
  statusCodes,
  TOO_OFTEN,
  WITHOUT_KEY,
} from '../../../test/status-codes.ts'

statusCodes(['listJobs', 'listSchedules'], {
  async given({ api, base }) {
    await api.call('PUT', `${base}/nightly`, { body: NIGHTLY })
  },
  rows: [
    answers(200, 'nothing', { key: 'read' }),
    answers(200, 'every filter', { query: 'state=active&kind=http&search=night&tag=a&limit=1' }),
    refuses(400, 'invalid_request', 'values that none of the filters has, and a parameter that is none', {
      query: 'state=asleep&kind=ftp&limit=0&cursor=x&nonsense=1',
      fields: ['state', 'kind', 'limit', 'cursor', 'nonsense'],
    }),
    ...WITHOUT_KEY,
    TOO_OFTEN,
    ...OUR_FAULT,
  ],
})
