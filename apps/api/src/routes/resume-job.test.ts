import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { NIGHTLY, startTestApi, type TestApi } from '../../test/api-fixture.ts'
import { itIsGuarded } from '../../test/guards.ts'

let api: TestApi
beforeAll(async () => {
  api = await startTestApi()
  await api.call('PUT', '/v1/jobs/nightly', { body: NIGHTLY })
})
beforeEach(async () => {
  await api.call('POST', '/v1/jobs/nightly/pause')
})
afterAll(() => api.close())

describe.each(['/v1/jobs', '/v1/schedules'])('POST %s/{name}/resume', base => {
  const path = `${base}/nightly/resume`

  it('answers 200 with the job active from its next time, and the same again the second time', async () => {
    const resumed = await api.call('POST', path, { key: api.own.keys.run })
    expect(resumed.status).toBe(200)
    expect(resumed.body.state).toBe('active')
    expect(resumed.body.next_run_at).toBe(resumed.body.next_runs[0])
    const again = await api.call('POST', path)
    expect(again.status).toBe(200)
    expect(again.headers.get('etag')).toBe(resumed.headers.get('etag'))
  })

  it('names a field with 400, since it takes none', async () => {
    const refused = await api.call('POST', path, { body: { at: 'once' } })
    expect(refused.status).toBe(400)
    expect(refused.body.errors[0].field).toBe('at')
  })

  it('answers 404 where there is no job', async () => {
    expect((await api.call('POST', `${base}/absent/resume`)).status).toBe(404)
  })

  it('answers 412 when If-Match names another version', async () => {
    const refused = await api.call('POST', path, { headers: { 'If-Match': '"0"' } })
    expect(refused.status).toBe(412)
    expect((await api.call('GET', `${base}/nightly`)).body.state).toBe('paused')
  })

  it('answers 412 when If-Match is given and there is no job', async () => {
    expect((await api.call('POST', `${base}/absent/resume`, { headers: { 'If-Match': '*' } })).status).toBe(
      412,
    )
  })

  itIsGuarded({ api: () => api, method: 'POST', path: () => path, scope: 'run', ofOneThing: true })
})
