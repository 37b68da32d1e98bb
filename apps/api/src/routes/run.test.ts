import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { NIGHTLY, startTestApi, type TestApi } from '../../test/api-fixture.ts'
import { itIsGuarded } from '../../test/guards.ts'
import { Run } from '../named-schemas.ts'

let api: TestApi
let id: string
beforeAll(async () => {
  api = await startTestApi()
  await api.call('PUT', '/v1/jobs/nightly', { body: { ...NIGHTLY, payload: { kind: 'daily' } } })
  id = await trigger()
})
afterAll(() => api.close())

async function trigger(): Promise<string> {
  return (await api.call('POST', '/v1/jobs/nightly/trigger')).body.id
}

const NO_RUNS = ['run_00000000000000000000000000', 'nonsense', '%00', 'job_00000000000000000000000000']

describe('GET /v1/runs/{id}', () => {
  it('answers 200 with the run as the document has it', async () => {
    const got = await api.call('GET', `/v1/runs/${id}`, { key: api.own.keys.read })
    expect(got.status).toBe(200)
    expect(got.body).toMatchObject({
      id,
      job: 'nightly',
      request: { body: '{"kind":"daily"}' },
      attempts: [],
    })
    expect(Run.strict().parse(got.body)).toEqual(got.body)
  })

  it.each(NO_RUNS)('answers 404 for %s', async other => {
    expect((await api.call('GET', `/v1/runs/${other}`)).status).toBe(404)
  })

  itIsGuarded({
    api: () => api,
    method: 'GET',
    path: () => `/v1/runs/${id}`,
    scope: 'read',
    ofOneThing: true,
  })
})

describe('POST /v1/runs/{id}/cancel', () => {
  it('answers 200 with the run cancelled, then 409', async () => {
    const run = await trigger()
    const cancelled = await api.call('POST', `/v1/runs/${run}/cancel`, { key: api.own.keys.run })
    expect(cancelled.status).toBe(200)
    expect(cancelled.body.state).toBe('cancelled')
    const again = await api.call('POST', `/v1/runs/${run}/cancel`)
    expect(again.status).toBe(409)
    expect(again.body.code).toBe('run_finished')
  })

  it('names a field with 400, since it takes none', async () => {
    const refused = await api.call('POST', `/v1/runs/${id}/cancel`, { body: { why: 'no' } })
    expect(refused.status).toBe(400)
    expect(refused.body.errors[0].field).toBe('why')
  })

  it.each(NO_RUNS)('answers 404 for %s', async other => {
    expect((await api.call('POST', `/v1/runs/${other}/cancel`)).status).toBe(404)
  })

  itIsGuarded({
    api: () => api,
    method: 'POST',
    path: () => `/v1/runs/${id}/cancel`,
    scope: 'run',
    ofOneThing: true,
  })
})

describe('POST /v1/runs/{id}/retry', () => {
  it('answers 409 while the run is going, 200 with the same run pending again once it has ended', async () => {
    const run = await trigger()
    const going = await api.call('POST', `/v1/runs/${run}/retry`)
    expect(going.status).toBe(409)
    expect(going.body.code).toBe('run_not_finished')
    await api.call('POST', `/v1/runs/${run}/cancel`)
    const again = await api.call('POST', `/v1/runs/${run}/retry`, { key: api.own.keys.run })
    expect(again.status).toBe(200)
    expect(again.body).toMatchObject({ id: run, state: 'pending' })
  })

  it('lets one of two at once win', async () => {
    const run = await trigger()
    await api.call('POST', `/v1/runs/${run}/cancel`)
    const both = await Promise.all([1, 2].map(() => api.call('POST', `/v1/runs/${run}/retry`)))
    expect(both.map(answer => answer.status).sort()).toEqual([200, 409])
  })

  it('names a field with 400', async () => {
    const refused = await api.call('POST', `/v1/runs/${id}/retry`, { body: { from: 'start' } })
    expect(refused.status).toBe(400)
    expect(refused.body.errors[0].field).toBe('from')
  })

  it.each(NO_RUNS)('answers 404 for %s', async other => {
    expect((await api.call('POST', `/v1/runs/${other}/retry`)).status).toBe(404)
  })

  itIsGuarded({
    api: () => api,
    method: 'POST',
    path: () => `/v1/runs/${id}/retry`,
    scope: 'run',
    ofOneThing: true,
  })
})
