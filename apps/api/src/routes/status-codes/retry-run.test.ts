import { NIGHTLY } from '../../../test/api-fixture.ts'
import {
  answers,
  KEY_IN_USE,
  keyOfScope,
  NO_JSON_OBJECT,
  notThere,
  OUR_FAULT,
  refuses,
  type Site,
  statusCodes,
  TOO_LARGE,
  TOO_OFTEN,
  WITHOUT_KEY,
} from '../../../test/status-codes.ts'

const goingRun = async ({ api, base }: Site) => {
  const { body } = await api.call('POST', `${base}/nightly/trigger`)
  return { params: { id: body.id as string } }
}
const endedRun = async (site: Site) => {
  const run = await goingRun(site)
  await site.api.call('POST', `/v1/runs/${run.params.id}/cancel`)
  return run
}

statusCodes(['retryRun'], {
  async given(site) {
    await site.api.call('PUT', `${site.base}/nightly`, { body: { ...NIGHTLY, overlap: 'allow' } })
    return endedRun(site)
  },
  rows: [
    answers(200, 'a run that has ended', { key: 'run', given: endedRun }),
    refuses(400, 'invalid_request', 'a step that is no word for one, and a field that is none', {
      body: { from_step: 2, form_step: 'failed' },
      fields: ['from_step', 'form_step'],
      says: /Did you mean from_step\?/,
    }),
    refuses(400, 'invalid_request', 'from_step for a run without steps', {
      body: { from_step: 'failed' },
      fields: ['from_step'],
    }),
    ...NO_JSON_OBJECT,
    ...WITHOUT_KEY,
    keyOfScope('read'),
    ...notThere({ id: 'run_00000000000000000000000000' }),
    refuses(409, 'run_not_finished', 'a run that is still going', { given: goingRun }),
    ...KEY_IN_USE.map(row => ({ ...row, given: endedRun })),
    TOO_LARGE,
    TOO_OFTEN,
    ...OUR_FAULT,
  ],
})
