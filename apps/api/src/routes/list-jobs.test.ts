import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { NIGHTLY, startTestApi, type TestApi } from '../../test/api-fixture.ts'
import { itIsGuarded } from '../../test/guards.ts'
import { JobPage } from '../named-schemas.ts'

let api: TestApi
beforeAll(async () => {
  api = await startTestApi()
  await api.call('PUT', '/v1/jobs/one', { body: { ...NIGHTLY, tags: ['blue'] } })
  await api.call('PUT', '/v1/jobs/two', { body: { ...NIGHTLY, description: 'Sends the Report' } })
  await api.call('PUT', '/v1/jobs/three', { body: NIGHTLY })
  await api.call('POST', '/v1/jobs/three/pause')
  await api.call('PUT', '/v1/jobs/theirs', { body: NIGHTLY, key: api.foreign.keys.write })
})
afterAll(() => api.close())

describe.each(['/v1/jobs', '/v1/schedules'])('GET %s', base => {
  const names = async (query: string) => {
    const got = await api.call('GET', `${base}${query}`, { key: api.own.keys.read })
    expect(got.status).toBe(200)
    return got.body.data.map((job: { name: string }) => job.name)
  }

  it("answers 200 with the project's jobs as the document has them, newest first", async () => {
    const got = await api.call('GET', base)
    expect(got.body.data.map((job: { name: string }) => job.name)).toEqual(['three', 'two', 'one'])
    expect(got.body.next_cursor).toBeNull()
    expect(JobPage.parse(got.body)).toEqual(got.body)
  })

  it.each([
    ['?state=paused', ['three']],
    ['?state=active', ['two', 'one']],
    ['?kind=http', ['three', 'two', 'one']],
    ['?kind=image', []],
    ['?tag=blue', ['one']],
    ['?search=report', ['two']],
    ['?search=hre', ['three']],
    ['?search=%25', []],
    ['?state=active&tag=blue', ['one']],
  ])('filters by %s', async (query, expected) => {
    expect(await names(query)).toEqual(expected)
  })

  it('goes through pages of any size without missing or repeating one', async () => {
    const seen: string[] = []
    let cursor = ''
    do {
      const got = await api.call('GET', `${base}?limit=1${cursor}`)
      seen.push(...got.body.data.map((job: { name: string }) => job.name))
      cursor = got.body.next_cursor === null ? '' : `&cursor=${got.body.next_cursor}`
    } while (cursor)
    expect(seen).toEqual(['three', 'two', 'one'])
  })

  it.each([
    ['?limit=0', 'limit'],
    ['?limit=201', 'limit'],
    ['?limit=1e1', 'limit'],
    ['?limit=', 'limit'],
    ['?limit=-1', 'limit'],
    ['?state=sleeping', 'state'],
    ['?kind=sms', 'kind'],
    ['?search=%00', 'search'],
    ['?tag=%00', 'tag'],
    ['?cursor=nonsense', 'cursor'],
    [`?cursor=${Buffer.from('["x","y"]').toString('base64url')}`, 'cursor'],
    [`?cursor=${Buffer.from('["2026-12-01T00:00:00Z"]').toString('base64url')}`, 'cursor'],
    ['?page=2', 'page'],
    ['?tag=a&tag=b', 'tag'],
    ['?__proto__=1', '__proto__'],
  ])('answers 400 for %s', async (query, field) => {
    const refused = await api.call('GET', `${base}${query}`)
    expect(refused.status).toBe(400)
    expect(refused.body.errors.map((e: { field: string }) => e.field)).toEqual([field])
  })

  it('names every offending parameter at once, and the nearest known one', async () => {
    const refused = await api.call('GET', `${base}?limit=0&state=x&tags=a`)
    expect(refused.body.errors.map((e: { field: string }) => e.field).sort()).toEqual([
      'limit',
      'state',
      'tags',
    ])
    expect(refused.text).toContain('Did you mean tag?')
  })

  itIsGuarded({ api: () => api, method: 'GET', path: () => base, scope: 'read', ofOneThing: false })
})
