import {
  answers,
  keyOfScope,
  OUR_FAULT,
  refuses,
  statusCodes,
  TOO_OFTEN,
  UNKNOWN_PARAMETER,
  WITHOUT_KEY,
} from '../../../test/status-codes.ts'
import { EXAMPLE_PIPELINE } from '../scheduler/scheduler-examples.ts'

statusCodes(['deletePipeline'], {
  params: { organizationId: 'own', pipelineId: 'time-series-trainer' },
  async given({ api }) {
    await api.call('POST', '/scheduler/organization/own/pipeline', { body: EXAMPLE_PIPELINE })
  },
  rows: [
    UNKNOWN_PARAMETER,
    ...WITHOUT_KEY,
    keyOfScope('run'),
    refuses(404, 'not_found', 'an id that is nowhere', { params: { pipelineId: 'absent' } }),
    refuses(404, 'not_found', 'the address of another organization', {
      params: { organizationId: 'foreign' },
    }),
    refuses(404, 'not_found', 'the id of another organization at the address of one’s own', {
      key: 'foreign',
      params: { organizationId: 'foreign' },
    }),
    TOO_OFTEN,
    ...OUR_FAULT,
    answers(204, 'an id that is there'),
    refuses(404, 'not_found', 'the same again'),
  ],
})
