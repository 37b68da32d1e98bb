import { triggerJob } from '@workly/services'
import { PretendWorker } from '@workly/services/testing/pretend-worker'
import {
  answers,
  KEY_IN_USE,
  keyOfScope,
  NO_JSON_OBJECT,
  OUR_FAULT,
  refuses,
  statusCodes,
  TOO_LARGE,
  WITHOUT_KEY,
} from '../../../test/status-codes.ts'
import { EXAMPLE_PIPELINE } from '../scheduler/scheduler-examples.ts'

statusCodes(['reportPipeline'], {
  params: { organizationId: 'own', pipelineId: 'time-series-trainer', stepId: 'export' },
  body: { result: 'OK' },
  async given({ api }) {
    await api.call('POST', '/scheduler/organization/own/pipeline', { body: EXAMPLE_PIPELINE })
    const { id } = await triggerJob(api.own.ctx, 'time-series-trainer')
    const worker = await PretendWorker.start(api.services)
    await worker.finish(await worker.take())
    return { params: { executionId: id } }
  },
  rows: [
    refuses(400, 'invalid_request', 'no result, and a field that is none', {
      body: { reslt: 'OK' },
      fields: ['reslt', 'result'],
      says: /Did you mean result\?/,
    }),
    ...NO_JSON_OBJECT,
    ...WITHOUT_KEY,
    keyOfScope('read'),
    refuses(404, 'not_found', 'an execution that is nowhere', {
      params: { executionId: 'run_00000000000000000000000000' },
    }),
    refuses(404, 'not_found', 'the address of another organization', {
      params: { organizationId: 'foreign' },
    }),
    refuses(404, 'not_found', 'an execution of another organization', {
      key: 'foreign',
      params: { organizationId: 'foreign' },
    }),
    TOO_LARGE,
    ...OUR_FAULT,
    answers(204, 'an execution that waits for it'),
    answers(204, 'the same again'),
    ...KEY_IN_USE,
  ],
})
