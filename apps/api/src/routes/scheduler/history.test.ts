import { execution } from '@workly/core'
import { cancelRun, expireWaits, triggerJob } from '@workly/services'
import { PretendWorker } from '@workly/services/testing/pretend-worker'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApi, type TestApi } from '../../../test/api-fixture.ts'
import { itIsGuarded } from '../../../test/guards.ts'

let api: TestApi
let worker: PretendWorker
beforeAll(async () => {
  api = await startTestApi()
  worker = await PretendWorker.start(api.services)
  const schedule = { cron: { expression: '0 0 2 * * *' } }
  const restRequest = { url: 'https://target.example/' }
  const async = { async: { maxTimeToWaitCallback: 60 } }
  const create = (kind: string, body: object) =>
    api.call('POST', `/scheduler/organization/own/${kind}`, { body: { schedule, ...body } })
  await create('restRequest', { id: 'sync', restRequest })
  await create('restRequest', { id: 'async', restRequest, response: async })
  const steps = [
    { id: 'load', restRequest },
    { id: 'train', restRequest, response: async },
    { id: 'tell', restRequest },
  ]
  await create('pipeline', { id: 'trainer', pipeline: { steps } })
})
afterAll(() => api.close())

const HISTORY = '/scheduler/organization/own/history'
const trigger = async (job: string) => (await triggerJob(api.own.ctx, job)).id

/** Takes what there is to do and answers it. */
async function answer(with_: Parameters<PretendWorker['finish']>[1] = {}): Promise<void> {
  await worker.finish(await worker.take(), with_)
}

/** The waits for callbacks run out. */
async function runOut(): Promise<void> {
  await api.services.sql`update attempts set callback_deadline = now() where state = 'waiting'`
  await expireWaits(api.services, 10)
}

function report(run: string, path: string, result: string, description?: string) {
  const body = { result, ...(description && { description }) }
  const address = `/scheduler/organization/own/${path.replace('{}', run)}`
  return api.call('POST', address, { body })
}

/** The entry of a run in the history. */
async function entry(run: string) {
  const { body } = await api.call('GET', HISTORY)
  const found = body.find((one: { executionId: string }) => one.executionId === run)
  expect(execution.strict().parse(found)).toEqual(found)
  return found
}

describe('an execution in the history', () => {
  it('is IN_PROGRESS while pending, running and waiting for its callback, then FINISHED with the callback’s own result', async () => {
    const run = await trigger('async')
    const going = {
      executionId: run,
      schedulerType: 'REST_REQUEST',
      schedulerId: 'async',
      end: null,
      state: 'IN_PROGRESS',
      steps: [{ id: 'async', state: 'IN_PROGRESS', result: null, description: null }],
    }
    expect(await entry(run)).toMatchObject(going)
    const begun = await worker.take()
    expect(await entry(run)).toMatchObject(going)
    await worker.finish(begun)
    expect(await entry(run)).toMatchObject(going)
    await report(run, 'restRequest/async/execution/{}', 'HALF', '602 of 1,204 rows')
    const { started_at, finished_at } = (await api.call('GET', `/v1/runs/${run}`)).body
    expect(await entry(run)).toEqual({
      ...going,
      start: started_at,
      end: finished_at,
      state: 'FINISHED',
      steps: [{ id: 'async', state: 'FINISHED', result: 'HALF', description: '602 of 1,204 rows' }],
    })
  })

  it('that succeeds without a callback has the result OK', async () => {
    const run = await trigger('sync')
    await answer()
    expect((await entry(run)).steps).toEqual([
      { id: 'sync', state: 'FINISHED', result: 'OK', description: null },
    ])
  })

  it('that fails has the result ERROR with the message of the answer, or TIMEOUT', async () => {
    const failed = await trigger('sync')
    await answer({ class: 'http_status', status: 500, message: 'no disk' })
    expect(await entry(failed)).toMatchObject({
      state: 'FINISHED',
      steps: [{ result: 'ERROR', description: 'no disk' }],
    })
    const slow = await trigger('sync')
    await answer({ class: 'timeout', status: null, message: 'No response came within 30 s.' })
    expect((await entry(slow)).steps).toMatchObject([
      { result: 'TIMEOUT', description: 'No response came within 30 s.' },
    ])
    const told = await trigger('async')
    await answer()
    await report(told, 'restRequest/async/execution/{}', 'error', 'no rows')
    expect((await entry(told)).steps).toMatchObject([{ result: 'error', description: 'no rows' }])
  })

  it('whose callback comes after the wait moves to FINISHED OUT OF TIME with the late result', async () => {
    const run = await trigger('async')
    await answer()
    await runOut()
    expect(await entry(run)).toMatchObject({ state: 'FINISHED', steps: [{ result: 'TIMEOUT' }] })
    await report(run, 'restRequest/async/execution/{}', 'OK', 'at last')
    expect(await entry(run)).toMatchObject({
      state: 'FINISHED OUT OF TIME',
      steps: [{ id: 'async', state: 'FINISHED OUT OF TIME', result: 'OK', description: 'at last' }],
    })
  })

  it('whose callback comes after it failed otherwise keeps its own result', async () => {
    const run = await trigger('async')
    await answer({ class: 'http_status', status: 503, message: 'busy' })
    await report(run, 'restRequest/async/execution/{}', 'OK')
    expect(await entry(run)).toMatchObject({
      state: 'FINISHED',
      steps: [{ result: 'ERROR', description: 'busy' }],
    })
  })

  it('that is cancelled has the result CANCELLED and says by whom', async () => {
    const run = await trigger('sync')
    await cancelRun(api.own.ctx, run)
    expect(await entry(run)).toMatchObject({
      state: 'FINISHED',
      steps: [{ result: 'CANCELLED', description: 'Cancelled by test.' }],
    })
  })

  it.each([
    ['overlap', 'The execution before was still running when this one was due.'],
    ['missed', 'Nothing could start it within a minute of its time.'],
  ])('that was skipped (%s) is in it, with why and when it was due', async (reason, why) => {
    for (const job of ['sync', 'trainer']) {
      const run = await trigger(job)
      await cancelRun(api.own.ctx, run)
      await api.services.sql`alter table runs disable trigger user`
      await api.services.sql`
        update runs set state = 'skipped', skip_reason = ${reason}, started_at = null where id = ${run}`
      await api.services.sql`alter table runs enable trigger user`
      const { scheduled_for } = (await api.call('GET', `/v1/runs/${run}`)).body
      const skipped = await entry(run)
      expect(skipped).toMatchObject({ state: 'FINISHED', start: scheduled_for })
      expect(skipped.steps.length).toBe(job === 'sync' ? 1 : 3)
      for (const step of skipped.steps)
        expect(step).toMatchObject({ state: 'FINISHED', result: 'SKIPPED', description: why })
    }
  })

  it('of a pipeline has each step, going and gone', async () => {
    const run = await trigger('trainer')
    await answer()
    await answer()
    expect(await entry(run)).toMatchObject({
      schedulerType: 'PIPELINE',
      schedulerId: 'trainer',
      state: 'IN_PROGRESS',
      steps: [
        { id: 'load', state: 'FINISHED', result: 'OK' },
        { id: 'train', state: 'IN_PROGRESS', result: null },
        { id: 'tell', state: 'IN_PROGRESS', result: null },
      ],
    })
    await report(run, 'pipeline/trainer/execution/{}/train', 'TRAINED')
    await answer()
    expect(await entry(run)).toMatchObject({
      state: 'FINISHED',
      steps: [{ result: 'OK' }, { result: 'TRAINED' }, { result: 'OK' }],
    })
  })

  it('of a pipeline that stopped records the failing step and why; the rest is NOT_RUN', async () => {
    const run = await trigger('trainer')
    await answer({ class: 'http_status', status: 500, message: 'no data' })
    expect(await entry(run)).toMatchObject({
      state: 'FINISHED',
      steps: [
        { id: 'load', result: 'ERROR', description: 'no data' },
        { id: 'train', state: 'FINISHED', result: 'NOT_RUN', description: 'The step load failed before it.' },
        { id: 'tell', state: 'FINISHED', result: 'NOT_RUN', description: 'The step load failed before it.' },
      ],
    })
  })

  it('of a pipeline that is cancelled or late tells so at its step', async () => {
    const late = await trigger('trainer')
    await answer()
    await answer()
    await runOut()
    await report(late, 'pipeline/trainer/execution/{}/train', 'LATE')
    expect(await entry(late)).toMatchObject({
      state: 'FINISHED OUT OF TIME',
      steps: [
        { state: 'FINISHED', result: 'OK' },
        { state: 'FINISHED OUT OF TIME', result: 'LATE' },
        { state: 'FINISHED', result: 'NOT_RUN' },
      ],
    })
    const cancelled = await trigger('trainer')
    await answer()
    await cancelRun(api.own.ctx, cancelled)
    expect((await entry(cancelled)).steps).toMatchObject([
      { result: 'OK' },
      { result: 'CANCELLED', description: 'Cancelled by test.' },
      { result: 'NOT_RUN', description: 'The step train was cancelled before it.' },
    ])
  })
})

describe('an execution of a job that has become another kind since', () => {
  it('is of the type of what it did, under its own address', async () => {
    const body = { cron: '0 3 * * *', dialect: 'extended', url: 'https://target.example/', max_attempts: 1 }
    const waits = { ...body, response: { callback: { max_wait_seconds: 60 } } }
    await api.call('PUT', '/v1/jobs/changing', { body: waits })
    const run = await trigger('changing')
    await answer()
    const steps = ['a', 'b'].map(id => ({ id, url: body.url }))
    await api.call('PUT', '/v1/jobs/changing', { body: { ...body, url: null, steps } })
    expect((await report(run, 'pipeline/changing/execution/{}/a', 'OK')).status).toBe(404)
    expect((await report(run, 'restRequest/changing/execution/{}', 'DONE')).status).toBe(204)
    expect(await entry(run)).toMatchObject({
      schedulerType: 'REST_REQUEST',
      schedulerId: 'changing',
      steps: [{ id: 'changing', result: 'DONE' }],
    })
    const next = await entry(await trigger('changing'))
    expect(next).toMatchObject({ schedulerType: 'PIPELINE', steps: [{ id: 'a' }, { id: 'b' }] })
    await answer()
    await answer()
  })
})

describe('GET …/history', () => {
  const ids = (body: { executionId: string }[]) => body.map(one => one.executionId)

  it('is newest first, in the order of /v1/runs, and of this project alone', async () => {
    const { body } = await api.call('GET', HISTORY, { key: api.own.keys.read })
    const runs = (await api.call('GET', '/v1/runs?limit=200')).body.data
    expect(ids(body)).toEqual(runs.map((run: { id: string }) => run.id))
    const foreign = await api.call('GET', HISTORY.replace('/own/', '/foreign/'), {
      key: api.foreign.keys.read,
    })
    expect(foreign.body).toEqual([])
  })

  it('filters by type and by id, and answers at most limit', async () => {
    const of = async (query: string) => (await api.call('GET', `${HISTORY}?${query}`)).body
    const types = (body: { schedulerType: string }[]) => [...new Set(body.map(one => one.schedulerType))]
    expect(types(await of('schedulerType=PIPELINE'))).toEqual(['PIPELINE'])
    expect(types(await of('schedulerType=REST_REQUEST'))).toEqual(['REST_REQUEST'])
    expect(await of('schedulerType=IMAGE_EXECUTION')).toEqual([])
    const all = await of('limit=1000')
    const ofAsync = all.filter((one: { schedulerId: string }) => one.schedulerId === 'async')
    expect(await of('schedulerId=async')).toEqual(ofAsync)
    expect(await of('schedulerId=async&schedulerType=PIPELINE')).toEqual([])
    expect(await of('schedulerId=absent')).toEqual([])
    expect(await of('limit=2')).toEqual(all.slice(0, 2))
    expect(await of('schedulerId=async&limit=1')).toEqual(ofAsync.slice(0, 1))
  })

  it('answers 100 without a limit', async () => {
    await Promise.all(Array.from({ length: 101 }, () => trigger('sync')))
    expect((await api.call('GET', HISTORY)).body).toHaveLength(100)
    expect((await api.call('GET', `${HISTORY}?limit=101`)).body).toHaveLength(101)
  })

  it.each([
    ['limit=0', 'limit'],
    ['limit=1001', 'limit'],
    ['limit=ten', 'limit'],
    ['schedulerType=pipeline', 'schedulerType'],
    ['schedulerId=%00', 'schedulerId'],
    ['schedulerID=x', 'schedulerID'],
    ['limit=1&limit=2', 'limit'],
  ])('answers 400 for %s', async (query, field) => {
    const refused = await api.call('GET', `${HISTORY}?${query}`)
    expect(refused.status).toBe(400)
    expect(refused.body.errors.map((e: { field: string }) => e.field)).toEqual([field])
  })

  it('names the nearest known parameter', async () => {
    expect((await api.call('GET', `${HISTORY}?scheduler_id=x`)).text).toContain('Did you mean schedulerId?')
  })

  itIsGuarded({ api: () => api, method: 'GET', path: () => HISTORY, scope: 'read', ofOneThing: true })
})
