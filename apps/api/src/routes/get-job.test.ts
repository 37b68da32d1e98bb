import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { NIGHTLY, startTestApi, type TestApi } from '../../test/api-fixture.ts'
import { itIsGuarded } from '../../test/guards.ts'
import { Job } from '../named-schemas.ts'

let api: TestApi
beforeAll(async () => {
  api = await startTestApi()
  await api.call('PUT', '/v1/jobs/nightly', {
    body: { ...NIGHTLY, headers: { 'X-Key': { secret: 'hush' } } },
  })
})
afterAll(() => api.close())

describe.each(['/v1/jobs', '/v1/schedules'])('GET %s/{name}', base => {
  const path = `${base}/nightly`

  it('answers 200 with the job as the document has it, and its ETag', async () => {
    const got = await api.call('GET', path, { key: api.own.keys.read })
    expect(got.status).toBe(200)
    expect(got.headers.get('content-type')).toBe('application/json')
    expect(got.headers.get('etag')).toMatch(/^"[^"]+"$/)
    expect(Job.strict().parse(got.body)).toEqual(got.body)
  })

  it('shows no secret', async () => {
    const got = await api.call('GET', path)
    expect(got.body.headers).toEqual({ 'X-Key': { secret: '••••' } })
    expect(got.text).not.toContain('hush')
  })

  it('answers HEAD with the same headers and no body', async () => {
    const got = await api.call('GET', path)
    const head = await api.call('HEAD', path)
    expect(head.status).toBe(200)
    expect(head.text).toBe('')
    expect(head.headers.get('etag')).toBe(got.headers.get('etag'))
  })

  it.each(['absent', '-bad', '%00', 'a%2Fb', '%ff', 'x'.repeat(300), '__proto__'])(
    'answers 404 for %s',
    async name => {
      const got = await api.call('GET', `${base}/${name}`)
      expect(got.status).toBe(404)
      expect(got.body.code).toBe('not_found')
    },
  )

  itIsGuarded({ api: () => api, method: 'GET', path: () => path, scope: 'read', ofOneThing: true })
})
