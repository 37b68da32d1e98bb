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

statusCodes(['getRun'], {
  async given({ api, base }) {
    await api.call('PUT', `${base}/nightly`, { body: NIGHTLY })
    return { params: { id: (await api.call('POST', `${base}/nightly/trigger`)).body.id } }
  },
  rows: [
    answers(200, 'a run that is there', { key: 'read' }),
    UNKNOWN_PARAMETER,
    ...WITHOUT_KEY,
    ...notThere({ id: 'run_00000000000000000000000000' }),
    TOO_OFTEN,
    ...OUR_FAULT,
  ],
})
