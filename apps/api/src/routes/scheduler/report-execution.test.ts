import { type BegunAttempt, cancelRun, retryRun, triggerJob } from '@workly/services'
import { PretendWorker } from '@workly/services/testing/pretend-worker'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApi, type TestApi } from '../../../test/api-fixture.ts'
import { EXAMPLE_PIPELINE, EXAMPLE_REST_REQUEST } from './scheduler-examples.ts'

let api: TestApi
let worker: PretendWorker
beforeAll(async () => {
  api = await startTestApi()
  worker = await PretendWorker.start(api.services)
  await api.call('POST', `${ORGANIZATION}/restRequest`, { body: EXAMPLE_REST_REQUEST })
  const steps = ['load', 'train'].map(id => ({ ...EXAMPLE_PIPELINE.pipeline?.steps[0], id }))
  await api.call('POST', `${ORGANIZATION}/pipeline`, { body: { ...EXAMPLE_PIPELINE, pipeline: { steps } } })
})
afterAll(() => api.close())

const ORGANIZATION = '/scheduler/organization/own'
const rest = (run: string) => `${ORGANIZATION}/restRequest/nightly-export/execution/${run}`
const train = (run: string, step: string) =>
  `${ORGANIZATION}/pipeline/time-series-trainer/execution/${run}/${step}`

/** A run whose call was answered, so that it waits for its callback. */
async function accepted(job = 'nightly-export'): Promise<string> {
  const { id } = await triggerJob(api.own.ctx, job)
  await answer()
  return id
}

/** Answers what has begun with 200. */
async function answer(): Promise<BegunAttempt[]> {
  const begun = await worker.take()
  await worker.finish(begun)
  return begun
}

const runOf = async (id: string) => (await api.call('GET', `/v1/runs/${id}`)).body

const report = (path: string, result = 'OK', options: object = {}) =>
  api.call('POST', path, { body: { result }, key: api.own.keys.run, ...options })

describe('POST …/restRequest/{requestId}/execution/{executionId}', () => {
  it('answers 204 and ends the execution; a repeat is 204 and changes nothing', async () => {
    const run = await accepted()
    expect((await report(rest(run), 'DONE')).status).toBe(204)
    const after = await runOf(run)
    expect(after).toMatchObject({ state: 'succeeded', attempts: [{ callback: { result: 'DONE' } }] })
    expect((await report(rest(run), 'ERROR')).status).toBe(204)
    expect(await runOf(run)).toEqual(after)
  })

  it('ERROR, TIMEOUT and CANCELLED fail it, in any case', async () => {
    for (const result of ['ERROR', 'timeout', 'Cancelled']) {
      const run = await accepted()
      await report(rest(run), result)
      expect(await runOf(run)).toMatchObject({ state: 'failed', error: { class: 'callback_failed' } })
    }
  })

  it('is for the open attempt, before its response too, and else for the latest', async () => {
    const { id } = await triggerJob(api.own.ctx, 'nightly-export')
    await worker.take()
    expect((await report(rest(id))).status).toBe(204)
    expect((await runOf(id)).state).toBe('succeeded')
    await retryRun(api.own.ctx, id)
    await answer()
    expect((await report(rest(id), 'SECOND')).status).toBe(204)
    expect((await runOf(id)).attempts.map((a: { callback: object }) => a.callback)).toMatchObject([
      { result: 'OK' },
      { result: 'SECOND' },
    ])
    const cancelled = await accepted()
    await cancelRun(api.own.ctx, cancelled)
    expect((await report(rest(cancelled), 'LATE')).status).toBe(204)
    const after = await runOf(cancelled)
    expect(after).toMatchObject({ state: 'cancelled', attempts: [{ late_result: { result: 'LATE' } }] })
  })

  it('answers 404 for a run that is none, has not begun, is of another job or kind or tenant, or waits for nothing', async () => {
    const run = await accepted()
    const paths = [
      rest('run_00000000000000000000000000'),
      rest('nonsense'),
      rest('%00'),
      rest(run).replace('nightly-export', 'absent'),
      rest(run).replace('restRequest', 'imageExecution'),
      `${rest(run)}/nightly-export`,
      train(run, 'nightly-export'),
      rest(run).replace('/own/', '/foreign/'),
    ]
    for (const path of paths) expect((await report(path)).status, path).toBe(404)
    expect((await report(rest(run), 'OK', { key: api.foreign.keys.write })).status).toBe(404)
    const own = rest(run).replace('/own/', '/foreign/')
    expect((await report(own, 'OK', { key: api.foreign.keys.write })).status).toBe(404)
    const { id: pending } = await triggerJob(api.own.ctx, 'nightly-export')
    expect((await report(rest(pending))).status).toBe(404)
    await cancelRun(api.own.ctx, pending)
    await api.call('POST', `${ORGANIZATION}/restRequest`, {
      body: { ...EXAMPLE_REST_REQUEST, id: 'sync', response: { sync: { timeout: 5 } } },
    })
    const { id: sync } = await triggerJob(api.own.ctx, 'sync')
    await worker.take()
    expect((await report(rest(sync).replace('nightly-export', 'sync'))).status).toBe(404)
    expect((await runOf(run)).state).toBe('running')
    expect((await report(rest(run))).status).toBe(204)
  })

  it('answers 401 without a key and 403 below run', async () => {
    const run = await accepted()
    expect((await report(rest(run), 'OK', { key: null })).status).toBe(401)
    const read = await report(rest(run), 'OK', { key: api.own.keys.read })
    expect(read.status).toBe(403)
    expect(read.body.detail).toContain('scope run')
    expect((await report(rest(run), 'OK', { key: api.own.keys.write })).status).toBe(204)
  })

  it('names what is wrong with a report, decides nothing by it, and answers 413 to one too large', async () => {
    const run = await accepted()
    const bad = await report(rest(run), '', { body: { result: '', descripton: 'x' } })
    expect(bad.status).toBe(400)
    expect(bad.body.errors.map((e: { field: string }) => e.field).sort()).toEqual(['descripton', 'result'])
    expect((await report(rest(run), '', { body: ' '.repeat(2 * 1024 * 1024 + 1) })).status).toBe(413)
    expect((await runOf(run)).state).toBe('running')
    await report(rest(run))
  })

  it('does not count against the rate of requests', async () => {
    const run = await accepted()
    const slow = api.another({ limits: { bytes: 10_000, rate: { perSecond: 1, burst: 1 } }, nowMs: () => 0 })
    for (let i = 0; i < 3; i++) {
      const answered = await slow.request(rest(run), {
        method: 'POST',
        headers: { Authorization: `Bearer ${api.own.keys.run}` },
        body: '{"result": "OK"}',
      })
      expect(answered.status).toBe(204)
    }
  })

  it('is taken once per Idempotency-Key', async () => {
    const run = await accepted()
    const headers = { 'Idempotency-Key': 'callback-1' }
    expect((await report(rest(run), 'OK', { headers })).status).toBe(204)
    const again = await report(rest(run), 'OK', { headers })
    expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([204, 'true'])
    expect((await report(rest(run), 'ERROR', { headers })).status).toBe(422)
  })

  it('the address in the callback header does the same', async () => {
    const { id } = await triggerJob(api.own.ctx, 'nightly-export')
    const [attempt] = await answer()
    const path = `/v1/callbacks/${attempt?.attempt_id}/-`
    expect((await report(path, 'THERE')).status).toBe(204)
    expect((await report(rest(id), 'HERE')).status).toBe(204)
    expect((await runOf(id)).attempts[0].callback.result).toBe('THERE')
  })
})

describe('POST …/pipeline/{pipelineId}/execution/{executionId}/{stepId}', () => {
  it('hands over to the next step, each by its own address', async () => {
    const run = await accepted('time-series-trainer')
    expect((await report(train(run, 'train'))).status).toBe(404)
    expect((await report(train(run, 'load'), 'LOADED')).status).toBe(204)
    expect((await report(train(run, 'load'), 'AGAIN')).status).toBe(204)
    await answer()
    expect(
      (await report(train(run, 'train'), 'ERROR', { body: { result: 'ERROR', description: 'no data' } }))
        .status,
    ).toBe(204)
    const after = await runOf(run)
    expect(after).toMatchObject({
      state: 'failed',
      steps: [
        { id: 'load', state: 'succeeded', result: 'LOADED' },
        { id: 'train', state: 'failed', result: 'ERROR', description: 'no data' },
      ],
    })
  })

  it('answers 404 for a step that is none and for an address without one', async () => {
    const run = await accepted('time-series-trainer')
    for (const path of [train(run, 'absent'), train(run, '%00'), train(run, 'load').slice(0, -5)]) {
      expect((await report(path)).status, path).toBe(404)
    }
    await report(train(run, 'load'))
  })
})
