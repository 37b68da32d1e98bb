import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { NIGHTLY, startTestApi, type TestApi } from '../../test/api-fixture.ts'
import { itIsGuarded } from '../../test/guards.ts'

let api: TestApi
beforeAll(async () => {
  api = await startTestApi()
  await api.call('PUT', '/v1/jobs/nightly', { body: NIGHTLY })
})
afterAll(() => api.close())

describe.each(['/v1/jobs', '/v1/schedules'])('POST %s/{name}/pause', base => {
  const path = `${base}/nightly/pause`

  it('answers 200 with the job paused and a new ETag, and the same again the second time', async () => {
    await api.call('POST', `${base}/nightly/resume`)
    const before = (await api.call('GET', `${base}/nightly`)).headers.get('etag')
    const paused = await api.call('POST', path, { key: api.own.keys.run })
    expect(paused.status).toBe(200)
    expect(paused.body).toMatchObject({ state: 'paused', next_run_at: null })
    expect(paused.body.next_runs).toHaveLength(5)
    expect(paused.headers.get('etag')).not.toBe(before)
    const again = await api.call('POST', path)
    expect(again.status).toBe(200)
    expect(again.headers.get('etag')).toBe(paused.headers.get('etag'))
  })

  it('stays paused through a PUT', async () => {
    const put = await api.call('PUT', `${base}/nightly`, { body: { ...NIGHTLY, description: base } })
    expect(put.body.state).toBe('paused')
  })

  it('names a field with 400, since it takes none', async () => {
    const refused = await api.call('POST', path, { body: { until: 'tomorrow' } })
    expect(refused.status).toBe(400)
    expect(refused.body.errors[0].field).toBe('until')
  })

  it('answers 404 where there is no job', async () => {
    expect((await api.call('POST', `${base}/absent/pause`)).status).toBe(404)
  })

  it('answers 409 for a job that has no times left', async () => {
    const name = base.slice(4)
    await api.call('PUT', `${base}/${name}-once`, { body: { at: '2999-01-01T00:00:00Z', url: NIGHTLY.url } })
    await api.services
      .sql`update jobs set state = 'completed', next_run_at = null where name = ${`${name}-once`}`
    const refused = await api.call('POST', `${base}/${name}-once/pause`)
    expect(refused.status).toBe(409)
    expect(refused.body.code).toBe('job_completed')
  })

  it('answers 412 when If-Match names another version', async () => {
    expect((await api.call('POST', path, { headers: { 'If-Match': '"0"' } })).status).toBe(412)
  })

  it('answers 412 when If-Match is given and there is no job', async () => {
    expect((await api.call('POST', `${base}/absent/pause`, { headers: { 'If-Match': '*' } })).status).toBe(
      412,
    )
  })

  itIsGuarded({ api: () => api, method: 'POST', path: () => path, scope: 'run', ofOneThing: true })
})
