import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { NIGHTLY, startTestApi, type TestApi } from '../../test/api-fixture.ts'
import { itIsGuarded } from '../../test/guards.ts'

let api: TestApi
beforeAll(async () => {
  api = await startTestApi()
})
beforeEach(async () => {
  await api.call('PUT', '/v1/jobs/nightly', { body: NIGHTLY })
})
afterAll(() => api.close())

describe.each(['/v1/jobs', '/v1/schedules'])('DELETE %s/{name}', base => {
  const path = `${base}/nightly`

  it('answers 204 with no body, and the job is gone at once', async () => {
    const gone = await api.call('DELETE', path)
    expect(gone.status).toBe(204)
    expect(gone.text).toBe('')
    expect((await api.call('GET', path)).status).toBe(404)
    expect((await api.call('DELETE', path)).status).toBe(404)
  })

  it('answers 412 when If-Match names another version, and 204 when it names this one', async () => {
    expect((await api.call('DELETE', path, { headers: { 'If-Match': '"0"' } })).status).toBe(412)
    const etag = (await api.call('GET', path)).headers.get('etag') ?? ''
    expect((await api.call('DELETE', path, { headers: { 'If-Match': etag } })).status).toBe(204)
  })

  it('takes the runs with it', async () => {
    const run = await api.call('POST', `${path}/trigger`)
    await api.call('DELETE', path)
    expect((await api.call('GET', `/v1/runs/${run.body.id}`)).status).toBe(404)
  })

  it('answers 412 when If-Match is given and there is no job', async () => {
    expect((await api.call('DELETE', `${base}/absent`, { headers: { 'If-Match': '*' } })).status).toBe(412)
  })

  itIsGuarded({ api: () => api, method: 'DELETE', path: () => path, scope: 'write', ofOneThing: true })
})
