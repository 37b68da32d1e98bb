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

statusCodes(['listJobRuns', 'listScheduleRuns'], {
  params: { name: 'nightly' },
  async given({ api, base }) {
    await api.call('PUT', `${base}/nightly`, { body: NIGHTLY })
    await api.call('POST', `${base}/nightly/trigger`)
  },
  rows: [
    answers(200, 'a job that is there', { key: 'read' }),
    answers(200, 'every filter', {
      query: 'state=pending&from=2026-01-01T00:00:00Z&to=2099-01-01T00:00:00Z&limit=1',
    }),
    refuses(400, 'invalid_request', 'values that none of the filters has, and a parameter that is none', {
      query: 'state=asleep&from=soon&to=2026-13-01&limit=201&nonsense=1',
      fields: ['state', 'from', 'to', 'limit', 'nonsense'],
    }),
    refuses(400, 'invalid_request', 'a cursor that is none', { query: 'cursor=x', fields: ['cursor'] }),
    ...WITHOUT_KEY,
    ...notThere({ name: 'absent' }),
    TOO_OFTEN,
    ...OUR_FAULT,
  ],
})
