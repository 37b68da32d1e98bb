import { ContainerHands } from '@workly/services/testing/containers'
import { PretendWorker } from '@workly/services/testing/pretend-worker'
import { NIGHTLY } from '../../../test/api-fixture.ts'
import {
  answers,
  KEY_IN_USE,
  keyOfScope,
  NO_JSON_OBJECT,
  notThere,
  OUR_FAULT,
  refuses,
  type Sent,
  type Site,
  statusCodes,
  TOO_LARGE,
  TOO_OFTEN,
  WITHOUT_KEY,
} from '../../../test/status-codes.ts'

const goingRun = async ({ api, base }: Site, job = 'nightly') => {
  const { body } = await api.call('POST', `${base}/${job}/trigger`)
  return { params: { id: body.id as string } }
}
/** A run whose container stays. */
const inContainer = async (site: Site) => {
  const run = await goingRun(site, 'contained')
  const { services } = site.api
  await new ContainerHands(services, await PretendWorker.start(services)).one()
  return run
}

let slow: Sent

statusCodes(['cancelRun'], {
  async given(site) {
    const image = { name: 'team/report', tag: '1.4.0' }
    await site.api.call('PUT', `${site.base}/contained`, { body: { cron: NIGHTLY.cron, image } })
    slow = await inContainer(site)
    await site.api.call('PUT', `${site.base}/nightly`, { body: { ...NIGHTLY, overlap: 'allow' } })
    return goingRun(site)
  },
  rows: [
    answers(200, 'a run that is going', { key: 'run', given: site => goingRun(site) }),
    answers(202, 'a run whose container takes longer to go', {
      given: async () => slow,
      app: ({ api }) => api.another({ goneWithinMs: 100 }),
    }),
    refuses(400, 'invalid_request', 'a field, where none is taken', { body: { why: 'no' }, fields: ['why'] }),
    ...NO_JSON_OBJECT,
    ...WITHOUT_KEY,
    keyOfScope('read'),
    ...notThere({ id: 'run_00000000000000000000000000' }),
    ...KEY_IN_USE.map(row => ({ ...row, given: (site: Site) => goingRun(site) })),
    refuses(409, 'run_finished', 'a run that has ended', {
      async given(site) {
        const run = await goingRun(site)
        await site.api.call('POST', `/v1/runs/${run.params.id}/cancel`)
        return run
      },
    }),
    TOO_LARGE,
    TOO_OFTEN,
    ...OUR_FAULT,
  ],
})
