import { triggerJob } from '@workly/services'
import {
  answers,
  OUR_FAULT,
  refuses,
  statusCodes,
  TOO_OFTEN,
  WITHOUT_KEY,
} from '../../../test/status-codes.ts'
import { EXAMPLE_REST_REQUEST } from '../scheduler/scheduler-examples.ts'

statusCodes(['listExecutions'], {
  params: { organizationId: 'own' },
  async given({ api }) {
    await api.call('POST', '/scheduler/organization/own/restRequest', { body: EXAMPLE_REST_REQUEST })
    await triggerJob(api.own.ctx, 'nightly-export')
  },
  rows: [
    answers(200, 'nothing', { key: 'read' }),
    answers(200, 'every filter', {
      query: 'schedulerType=REST_REQUEST&schedulerId=nightly-export&limit=1000',
    }),
    refuses(400, 'invalid_request', 'values that none of the filters has, and a parameter that is none', {
      query: 'schedulerType=REST&schedulerId=-x&limit=1001&nonsense=1',
      fields: ['schedulerType', 'schedulerId', 'limit', 'nonsense'],
    }),
    ...WITHOUT_KEY,
    refuses(404, 'not_found', 'the address of another organization', {
      params: { organizationId: 'foreign' },
    }),
    TOO_OFTEN,
    ...OUR_FAULT,
  ],
})
