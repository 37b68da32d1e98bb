import { afterAll, beforeAll, expect, it } from 'vitest'
import { callApp, startTestApi, type TestApi } from '../test/api-fixture.ts'

let api: TestApi
beforeAll(async () => {
  api = await startTestApi()
})
afterAll(() => api?.close())

it('callbacks do not count against the rate of a key, and are taken when it is used up', async () => {
  const app = api.another({ limits: { bytes: 100_000, rate: { perSecond: 1, burst: 1 } }, nowMs: () => 0 })
  const key = api.own.keys.write
  const report = () =>
    callApp(app, 'POST', '/v1/callbacks/att_00000000000000000000000000/-', { key, body: { result: 'OK' } })
  // There is no such attempt: 404 is an answer of the call itself, not of the rate.
  expect((await report()).status).toBe(404)
  expect((await callApp(app, 'GET', '/v1/jobs', { key })).status).toBe(200)
  expect((await callApp(app, 'GET', '/v1/jobs', { key })).status).toBe(429)
  expect((await report()).status).toBe(404)
})
