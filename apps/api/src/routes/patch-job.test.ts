import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { NIGHTLY, startTestApi, type TestApi } from '../../test/api-fixture.ts'
import { itIsGuarded } from '../../test/guards.ts'

let api: TestApi
beforeAll(async () => {
  api = await startTestApi()
  await api.call('PUT', '/v1/jobs/nightly', { body: { ...NIGHTLY, description: 'kept' } })
})
afterAll(() => api.close())

describe.each(['/v1/jobs', '/v1/schedules'])('PATCH %s/{name}', base => {
  const path = `${base}/nightly`

  it('answers 200 and changes only what is given', async () => {
    const max_attempts = base === '/v1/jobs' ? 4 : 5
    const patched = await api.call('PATCH', path, { body: { max_attempts } })
    expect(patched.status).toBe(200)
    expect(patched.headers.get('workly-changed')).toBe('true')
    expect(patched.body).toMatchObject({ max_attempts, description: 'kept', cron: NIGHTLY.cron })
    const got = await api.call('GET', path)
    expect(patched.headers.get('etag')).toBe(got.headers.get('etag'))
  })

  it('answers 200 and says so when nothing changes', async () => {
    const patched = await api.call('PATCH', path, { body: {} })
    expect(patched.status).toBe(200)
    expect(patched.headers.get('workly-changed')).toBe('false')
  })

  it('names every offending field at once with 400', async () => {
    const refused = await api.call('PATCH', path, {
      body: { timeout_seconds: 0, missed: 'x', execute_now: true },
    })
    expect(refused.status).toBe(400)
    const fields = refused.body.errors.map((e: { field: string }) => e.field).sort()
    expect(fields).toEqual(['execute_now', 'missed', 'timeout_seconds'])
  })

  it('answers 404 where there is no job', async () => {
    expect((await api.call('PATCH', `${base}/absent`, { body: {} })).status).toBe(404)
  })

  it('answers 412 when If-Match names another version', async () => {
    const refused = await api.call('PATCH', path, {
      body: { max_attempts: 9 },
      headers: { 'If-Match': '"0"' },
    })
    expect(refused.status).toBe(412)
    expect((await api.call('GET', path)).body.max_attempts).not.toBe(9)
  })

  it.each(['*', '"0"', ''])('answers 412 when If-Match is %j and there is no job', async etag => {
    const refused = await api.call('PATCH', `${base}/absent`, { body: {}, headers: { 'If-Match': etag } })
    expect(refused.status).toBe(412)
  })

  it('takes an empty If-Match for a lost ETag, not for none', async () => {
    expect((await api.call('PATCH', path, { body: {}, headers: { 'If-Match': '' } })).status).toBe(412)
  })

  itIsGuarded({
    api: () => api,
    method: 'PATCH',
    path: () => path,
    body: {},
    scope: 'write',
    ofOneThing: true,
  })
})
