import * as services from '@workly/services'
import { ContainerHands } from '@workly/services/testing/containers'
import { PretendWorker } from '@workly/services/testing/pretend-worker'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { startTestApi, type TestApi } from '../../../test/api-fixture.ts'
import { itIsGuarded } from '../../../test/guards.ts'
import { EXAMPLE_IMAGE_EXECUTION, EXAMPLE_PIPELINE } from './scheduler-examples.ts'

/** How long the API waits here for a container to go, in milliseconds. */
let patience = 20_000
vi.mock(import('@workly/services'), async original => {
  const actual = await original()
  return { ...actual, untilGone: (ctx, runId) => actual.untilGone(ctx, runId, patience) }
})

let api: TestApi
let worker: PretendWorker
let hands: ContainerHands
beforeAll(async () => {
  api = await startTestApi()
  worker = await PretendWorker.start(api.services)
  hands = new ContainerHands(api.services, worker)
  await api.call('POST', `${ORGANIZATION}/imageExecution`, { body: EXAMPLE_IMAGE_EXECUTION })
  const [load, train] = EXAMPLE_PIPELINE.pipeline?.steps ?? []
  const steps = [{ ...load, response: { sync: {} } }, train, { ...load, id: 'tell' }]
  await api.call('POST', `${ORGANIZATION}/pipeline`, { body: { ...EXAMPLE_PIPELINE, pipeline: { steps } } })
})
afterAll(() => api.close())
beforeEach(() => {
  patience = 20_000
})

const ORGANIZATION = '/scheduler/organization/own'
const image = (run: string) => `${ORGANIZATION}/imageExecution/nightly-training/execution/${run}`
const step = (run: string, id: string) =>
  `${ORGANIZATION}/pipeline/time-series-trainer/execution/${run}/${id}`

const trigger = async (job: string) => (await services.triggerJob(api.own.ctx, job)).id
const cancel = (path: string, key = api.own.keys.run) => api.call('DELETE', path, { key })

async function entry(run: string) {
  const { body } = await api.call('GET', `${ORGANIZATION}/history`)
  return body.find((one: { executionId: string }) => one.executionId === run)
}

/** Resolves when the container is to be removed. */
async function untilMarked(handle: string): Promise<void> {
  await vi.waitFor(
    async () => {
      const [row] = await api.services.sql`select removing_since from container_handles where id = ${handle}`
      expect(row?.removing_since).not.toBeNull()
    },
    { timeout: 20_000 },
  )
}

/** A pipeline's run whose first step is done, so that its container runs. */
async function atContainer() {
  const run = await trigger('time-series-trainer')
  await worker.finish(await worker.take())
  return { run, container: await hands.one() }
}

describe('DELETE …/imageExecution/{imageExecutionId}/execution/{executionId}', () => {
  it('answers 204 once the container is gone, and not before; the step is CANCELLED, the schedulation untouched', async () => {
    const run = await trigger('nightly-training')
    const container = await hands.one()
    let answered = false
    const cancelled = cancel(image(run)).finally(() => {
      answered = true
    })
    await untilMarked(container.handle_id)
    expect(answered).toBe(false)
    expect(await entry(run)).toMatchObject({
      state: 'FINISHED',
      steps: [{ id: 'nightly-training', result: 'CANCELLED', description: 'Cancelled by own run.' }],
    })
    await hands.gone(container)
    const gone = await cancelled
    expect([gone.status, gone.text]).toEqual([204, ''])
    const job = await api.call('GET', '/v1/jobs/nightly-training')
    expect(job.body).toMatchObject({ state: 'active' })
    expect(job.body.next_run_at).not.toBeNull()
  })

  it('answers 202 when the container takes longer, which the run then says', async () => {
    patience = 100
    const run = await trigger('nightly-training')
    const container = await hands.one()
    const slow = await cancel(image(run))
    expect([slow.status, slow.text]).toEqual([202, ''])
    const { body } = await api.call('GET', `/v1/runs/${run}`)
    expect(body.state).toBe('cancelled')
    expect(body.cancel_requested_at).not.toBeNull()
    await hands.gone(container)
  })

  it('answers 409 when it is not running: not begun, or ended', async () => {
    const run = await trigger('nightly-training')
    const pending = await cancel(image(run))
    expect(pending.status).toBe(409)
    expect(pending.body).toMatchObject({ code: 'conflict' })
    const container = await hands.one()
    await hands.gone(container)
    expect((await cancel(image(run))).status).toBe(204)
    const ended = await cancel(image(run))
    expect([ended.status, ended.body.code]).toEqual([409, 'run_finished'])
  })

  it('answers 404 for another kind, job, organization and what is no run, and cancels nothing', async () => {
    const run = await trigger('nightly-training')
    const container = await hands.one()
    for (const path of [
      image('run_00000000000000000000000000'),
      image('nonsense'),
      image('%00'),
      image(run).replace('nightly-training', 'absent'),
      image(run).replace('/own/', '/foreign/'),
      step(run, 'train'),
      `${image(run)}/nightly-training`,
    ]) {
      expect((await cancel(path)).status, path).toBe(404)
    }
    expect((await cancel(image(run), api.own.keys.read)).status).toBe(403)
    expect((await api.call('GET', `/v1/runs/${run}`)).body.state).toBe('running')
    await hands.end(container)
    await hands.gone(container)
    await services.cancelRun(api.own.ctx, run)
  })

  it('has no address for a REST request', async () => {
    const path = `${ORGANIZATION}/restRequest/x/execution/run_00000000000000000000000000`
    const refused = await cancel(path)
    expect([refused.status, refused.headers.get('allow')]).toEqual([405, 'OPTIONS, POST'])
  })

  const ended = { run: '' }
  beforeAll(async () => {
    ended.run = await trigger('nightly-training')
    await services.cancelRun(api.own.ctx, ended.run)
  })
  itIsGuarded({
    api: () => api,
    method: 'DELETE',
    path: () => image(ended.run),
    scope: 'run',
    ofOneThing: true,
  })
})

describe('DELETE …/pipeline/{pipelineId}/execution/{executionId}/{stepId}', () => {
  it('cancels the image step that runs; the rest is NOT_RUN', async () => {
    const { run, container } = await atContainer()
    const cancelled = cancel(step(run, 'train'))
    await untilMarked(container.handle_id)
    await hands.gone(container)
    expect((await cancelled).status).toBe(204)
    expect(await entry(run)).toMatchObject({
      state: 'FINISHED',
      steps: [
        { id: 'export', result: 'OK' },
        { id: 'train', result: 'CANCELLED' },
        { id: 'tell', result: 'NOT_RUN' },
      ],
    })
  })

  it('cancels a REST step that runs too', async () => {
    const run = await trigger('time-series-trainer')
    await worker.take()
    expect((await cancel(step(run, 'export'))).status).toBe(204)
    expect((await entry(run)).steps).toMatchObject([
      { result: 'CANCELLED' },
      { result: 'NOT_RUN' },
      { result: 'NOT_RUN' },
    ])
  })

  it('answers 409 for a step that is not running, 404 for one that is none, and cancels nothing', async () => {
    const { run, container } = await atContainer()
    for (const id of ['export', 'tell']) {
      const refused = await cancel(step(run, id))
      expect(refused.status, id).toBe(409)
      expect(refused.body.code).toBe('conflict')
    }
    for (const path of [step(run, 'absent'), step(run, '%00'), image(run), step(run, 'train').slice(0, -6)])
      expect((await cancel(path)).status, path).toBe(404)
    expect((await api.call('GET', `/v1/runs/${run}`)).body.state).toBe('running')
    await hands.end(container)
    await hands.gone(container)
  })

  const going = { run: '' }
  beforeAll(async () => {
    going.run = await trigger('time-series-trainer')
    await services.cancelRun(api.own.ctx, going.run)
  })
  itIsGuarded({
    api: () => api,
    method: 'DELETE',
    path: () => step(going.run, 'train'),
    scope: 'run',
    ofOneThing: true,
  })
})
