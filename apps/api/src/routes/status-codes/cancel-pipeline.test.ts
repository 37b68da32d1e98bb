import { triggerJob } from '@workly/services'
import { ContainerHands } from '@workly/services/testing/containers'
import { PretendWorker } from '@workly/services/testing/pretend-worker'
import { expect, vi } from 'vitest'
import {
  answers,
  keyOfScope,
  OUR_FAULT,
  refuses,
  type Site,
  statusCodes,
  TOO_OFTEN,
  UNKNOWN_PARAMETER,
  WITHOUT_KEY,
} from '../../../test/status-codes.ts'
import { EXAMPLE_PIPELINE } from '../scheduler/scheduler-examples.ts'

/** Its image runs once the call before it is answered. */
const [load, train] = EXAMPLE_PIPELINE.pipeline?.steps ?? []
const STEPS = [{ ...load, response: { sync: {} } }, train]

/** An execution whose container runs. */
async function inContainer({ api }: Site) {
  const { id } = await triggerJob(api.own.ctx, 'time-series-trainer')
  const worker = await PretendWorker.start(api.services)
  await worker.finish(await worker.take())
  const hands = new ContainerHands(api.services, worker)
  container = await hands.one()
  return { params: { executionId: id } }
}
let container: Awaited<ReturnType<ContainerHands['one']>>

statusCodes(['cancelPipeline'], {
  params: { organizationId: 'own', pipelineId: 'time-series-trainer', stepId: 'train' },
  async given(site) {
    await site.api.call('POST', '/scheduler/organization/own/pipeline', {
      body: { ...EXAMPLE_PIPELINE, pipeline: { steps: STEPS } },
    })
    return inContainer(site)
  },
  rows: [
    UNKNOWN_PARAMETER,
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
    TOO_OFTEN,
    ...OUR_FAULT,
    answers(202, 'an execution whose container takes longer to go', {
      app: ({ api }) => api.another({ goneWithinMs: 100 }),
    }),
    refuses(409, 'conflict', 'the same again'),
    answers(204, 'an execution whose container goes', {
      given: inContainer,
      async by({ api }, send) {
        const cancelled = send()
        await untilMarked(api, container.handle_id)
        await new ContainerHands(api.services, await PretendWorker.start(api.services)).gone(container)
        return cancelled
      },
    }),
    refuses(409, 'conflict', 'a step that is not running', {
      given: inContainer,
      params: { stepId: 'export' },
    }),
  ],
})

/** Resolves once the container is to be removed. */
async function untilMarked({ services }: Site['api'], handle: string): Promise<void> {
  await vi.waitFor(
    async () => {
      const [row] = await services.sql`select removing_since from container_handles where id = ${handle}`
      expect(row?.removing_since).not.toBeNull()
    },
    { timeout: 20_000 },
  )
}
