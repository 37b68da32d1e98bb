import { afterAll, beforeAll, expect, it } from 'vitest'
import { callApp, NIGHTLY, startTestApi, type TestApi } from '../../test/api-fixture.ts'
import { itIsGuarded } from '../../test/guards.ts'

const TOKEN = 'operator-token-of-this-test'
let api: TestApi
let app: TestApi['app']
beforeAll(async () => {
  api = await startTestApi()
  app = api.another({ operatorToken: TOKEN })
  await api.call('PUT', '/v1/jobs/nightly', { body: NIGHTLY })
})
afterAll(() => api.close())

it('GET /v1/metrics answers the project’s own, by job, in Prometheus text', async () => {
  const got = await api.call('GET', '/v1/metrics', { key: api.own.keys.read })
  expect(got.status).toBe(200)
  expect(got.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
  expect(got.text).toContain('schedule="nightly"')
  const foreign = await api.call('GET', '/v1/metrics', { key: api.foreign.keys.read })
  expect(foreign.text).not.toContain('nightly')
})

it('GET /metrics answers aggregates to the operator’s token alone, and names no job', async () => {
  const got = await callApp(app, 'GET', '/metrics', { key: TOKEN })
  expect(got.status).toBe(200)
  expect(got.text).toContain('workly_')
  expect(got.text).not.toContain('nightly')
  for (const key of [null, `${TOKEN}x`, api.own.keys.write]) {
    expect((await callApp(app, 'GET', '/metrics', { key })).status).toBe(401)
  }
})

it('without a token set there are no operator’s metrics', async () => {
  expect((await api.call('GET', '/metrics')).status).toBe(404)
})

itIsGuarded({ api: () => api, method: 'GET', path: () => '/v1/metrics', scope: 'read', ofOneThing: false })
