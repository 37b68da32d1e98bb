import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { NIGHTLY, startTestApi, type TestApi } from '../../../test/api-fixture.ts'
import { itIsGuarded } from '../../../test/guards.ts'
import { EXAMPLE_PIPELINE, EXAMPLE_REST_REQUEST } from './scheduler-examples.ts'

let api: TestApi
beforeAll(async () => {
  api = await startTestApi()
  await api.call('POST', REST, { body: EXAMPLE_REST_REQUEST })
  await api.call('POST', PIPELINE, { body: EXAMPLE_PIPELINE })
})
afterAll(() => api.close())

const REST = '/scheduler/organization/own/restRequest'
const PIPELINE = '/scheduler/organization/own/pipeline'

describe('DELETE …/restRequest/{requestId} and …/pipeline/{pipelineId}', () => {
  it('answers 404 to a path of the wrong kind, and leaves it', async () => {
    for (const path of [`${REST}/time-series-trainer`, `${PIPELINE}/nightly-export`]) {
      const refused = await api.call('DELETE', path)
      expect(refused.status).toBe(404)
      expect(refused.body.code).toBe('not_found')
      expect(refused.body.detail).toMatch(/it is of kind (?:pipeline|http)\.$/)
    }
    expect((await api.call('GET', '/v1/jobs/nightly-export')).status).toBe(200)
    expect((await api.call('GET', '/v1/jobs/time-series-trainer')).status).toBe(200)
  })

  it('answers 404 for what is not there, in another organization, and for what is no id', async () => {
    for (const path of [
      `${REST}/absent`,
      `${REST}/%00`,
      `${REST}/-`,
      `/scheduler/organization/foreign/restRequest/nightly-export`,
    ]) {
      expect((await api.call('DELETE', path)).status, path).toBe(404)
    }
  })

  itIsGuarded({
    api: () => api,
    method: 'DELETE',
    path: () => `${REST}/nightly-export`,
    scope: 'write',
    ofOneThing: true,
  })

  it('refuses a query with 400', async () => {
    expect((await api.call('DELETE', `${REST}/nightly-export?force=1`)).status).toBe(400)
  })

  it('answers 204 and it is gone: here, in /v1, with its executions, and its id is free', async () => {
    await api.call('POST', '/v1/jobs/nightly-export/trigger')
    const gone = await api.call('DELETE', `${REST}/nightly-export`)
    expect([gone.status, gone.text]).toEqual([204, ''])
    expect((await api.call('DELETE', `${REST}/nightly-export`)).status).toBe(404)
    expect((await api.call('GET', '/v1/jobs/nightly-export')).status).toBe(404)
    expect((await api.call('GET', '/scheduler/organization/own/history')).body).toEqual([])
    expect((await api.call('POST', REST, { body: EXAMPLE_REST_REQUEST })).status).toBe(201)
  })

  it('deletes what was made in /v1 too', async () => {
    await api.call('PUT', '/v1/jobs/made-there', { body: NIGHTLY })
    expect((await api.call('DELETE', `${REST}/made-there`)).status).toBe(204)
    expect((await api.call('DELETE', `${PIPELINE}/time-series-trainer`)).status).toBe(204)
    expect((await api.call('GET', '/v1/jobs')).body.data).toHaveLength(1)
  })
})
