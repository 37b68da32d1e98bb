import { afterAll, beforeAll, expect, it } from 'vitest'
import { NIGHTLY, startTestApi, type TestApi } from '../test/api-fixture.ts'

let api: TestApi
beforeAll(async () => {
  api = await startTestApi()
  await api.call('PUT', '/v1/jobs/nightly', { body: { ...NIGHTLY, overlap: 'allow' } })
})
afterAll(() => api.close())

const trigger = (key: string, body: unknown = {}) =>
  api.call('POST', '/v1/jobs/nightly/trigger', { body, headers: { 'Idempotency-Key': key } })

it('a POST sent twice with one key is done once and answered the same, headers too', async () => {
  const key = crypto.randomUUID()
  const first = await trigger(key)
  const again = await trigger(key)
  expect([first.status, again.status]).toEqual([201, 201])
  expect(again.text).toBe(first.text)
  expect(again.headers.get('location')).toBe(first.headers.get('location'))
  expect(first.headers.get('idempotent-replayed')).toBeNull()
  expect(again.headers.get('idempotent-replayed')).toBe('true')
  expect((await api.call('GET', '/v1/jobs/nightly/runs')).body.data).toHaveLength(1)
})

it('another body with the key is 422, a bad key 400', async () => {
  const key = crypto.randomUUID()
  await trigger(key)
  const other = await api.call('POST', '/v1/jobs/nightly/trigger', {
    body: ' {}',
    headers: { 'Idempotency-Key': key },
  })
  expect([other.status, other.body.code]).toEqual([422, 'idempotency_mismatch'])
  const bad = await trigger('two words')
  expect([bad.status, bad.body.errors[0].field]).toEqual([400, 'Idempotency-Key'])
})

it('a refusal is kept as well: 404 stays 404 for its key', async () => {
  const headers = { 'Idempotency-Key': crypto.randomUUID() }
  expect((await api.call('POST', '/v1/jobs/later/trigger', { headers })).status).toBe(404)
  await api.call('PUT', '/v1/jobs/later', { body: NIGHTLY })
  expect((await api.call('POST', '/v1/jobs/later/trigger', { headers })).status).toBe(404)
})

it('an answer kept for a key is not for who may not ask: another API key below the scope, another project', async () => {
  await api.call('PUT', '/v1/jobs/kept', { body: NIGHTLY })
  const headers = { 'Idempotency-Key': 'of-the-first' }
  const first = await api.call('POST', '/v1/jobs/kept/trigger', { headers })
  expect(first.status).toBe(201)
  const weaker = await api.call('POST', '/v1/jobs/kept/trigger', { headers, key: api.own.keys.read })
  expect(weaker.status).toBe(403)
  expect(weaker.text).not.toContain(first.body.id)
  const foreign = await api.call('POST', '/v1/jobs/kept/trigger', { headers, key: api.foreign.keys.write })
  expect(foreign.status).toBe(404)
  // Nor does a refusal of one stand in the way of the other.
  const refused = { headers: { 'Idempotency-Key': 'refused-first' } }
  const below = await api.call('POST', '/v1/jobs/kept/trigger', { ...refused, key: api.own.keys.read })
  expect([below.status, (await api.call('POST', '/v1/jobs/kept/trigger', refused)).status]).toEqual([
    403, 201,
  ])
  // The same project's other keys are the same caller.
  const other = await api.call('POST', '/v1/jobs/kept/trigger', { headers, key: api.own.keys.run })
  expect([other.status, other.body.id]).toEqual([201, first.body.id])
})
