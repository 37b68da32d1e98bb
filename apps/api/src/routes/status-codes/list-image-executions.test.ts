import {
  answers,
  OUR_FAULT,
  refuses,
  statusCodes,
  TOO_OFTEN,
  UNKNOWN_PARAMETER,
  WITHOUT_KEY,
} from '../../../test/status-codes.ts'
import { EXAMPLE_IMAGE_EXECUTION } from '../scheduler/scheduler-examples.ts'

statusCodes(['listImageExecutions'], {
  params: { organizationId: 'own' },
  async given({ api }) {
    await api.call('POST', '/scheduler/organization/own/imageExecution', { body: EXAMPLE_IMAGE_EXECUTION })
  },
  rows: [
    answers(200, 'nothing', { key: 'read' }),
    UNKNOWN_PARAMETER,
    ...WITHOUT_KEY,
    refuses(404, 'not_found', 'the address of another organization', {
      params: { organizationId: 'foreign' },
    }),
    TOO_OFTEN,
    ...OUR_FAULT,
  ],
})
