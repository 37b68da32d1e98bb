import { createSql } from '@workly/db'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { callApp, NIGHTLY, PUBLIC_URL, startTestApi, type TestApi } from '../test/api-fixture.ts'
import { isApiPath } from './app.ts'

let api: TestApi
beforeAll(async () => {
  api = await startTestApi()
  await api.call('PUT', '/v1/jobs/nightly', { body: NIGHTLY })
})
afterAll(() => api.close())

describe('addresses', () => {
  it.each([
    '/',
    '/v1',
    '/v2/jobs',
    '/v1/jobs/a/b/c',
    '/v1/Jobs',
    '/v1//jobs',
    '/docs/x',
    '/%2e%2e',
    '/v1/jobs/%2f/',
  ])('answers 404 as a problem for %s, without asking for a key', async path => {
    const refused = await api.call('GET', path, { key: null })
    expect(refused.status).toBe(404)
    expect(refused.headers.get('content-type')).toBe('application/problem+json')
    expect(refused.body).toMatchObject({
      type: `${PUBLIC_URL}/docs/errors#not_found`,
      title: 'Not found',
      status: 404,
      code: 'not_found',
      errors: [],
      request_id: refused.headers.get('x-request-id'),
    })
  })

  it.each(['/v1/jobs/', '/v1/jobs/nightly/', '/v1/runs//', '/docs/'])(
    'hints at the slash of %s',
    async path => {
      const refused = await api.call('GET', path)
      expect(refused.status).toBe(404)
      expect(refused.body.detail).toContain('Leave out the slash at its end.')
    },
  )

  it.each([
    ['POST', '/v1/jobs', 'GET, HEAD, OPTIONS'],
    ['POST', '/v1/jobs/nightly', 'DELETE, GET, HEAD, OPTIONS, PATCH, PUT'],
    ['GET', '/v1/jobs/nightly/trigger', 'OPTIONS, POST'],
    ['DELETE', '/v1/runs', 'GET, HEAD, OPTIONS'],
    ['PUT', '/v1/runs/run_1', 'GET, HEAD, OPTIONS'],
    ['POST', '/healthz', 'GET, HEAD, OPTIONS'],
    ['PUT', '/v1/openapi.json', 'GET, HEAD, OPTIONS'],
    ['BREW', '/v1/schedules', 'GET, HEAD, OPTIONS'],
  ])('answers 405 for %s %s with what it takes', async (method, path, allow) => {
    const refused = await api.call(method, path)
    expect(refused.status).toBe(405)
    expect(refused.headers.get('allow')).toBe(allow)
    expect(refused.body.code).toBe('method_not_allowed')
    expect(refused.body.detail).toContain(allow)
  })

  it('answers OPTIONS with what an address takes, and nothing for other origins', async () => {
    const options = await api.call('OPTIONS', '/v1/jobs/preview', {
      key: null,
      headers: { Origin: 'https://elsewhere.example', 'Access-Control-Request-Method': 'PUT' },
    })
    expect(options.status).toBe(204)
    expect(options.headers.get('allow')).toBe('DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT')
    expect([...options.headers.keys()].filter(name => name.startsWith('access-control'))).toEqual([])
    expect((await api.call('OPTIONS', '/nowhere')).status).toBe(404)
  })

  it('answers HEAD of what is not there with 404 and no body', async () => {
    const head = await api.call('HEAD', '/v1/jobs/absent')
    expect(head.status).toBe(404)
    expect(head.text).toBe('')
  })

  it.each([
    ['/v1', true],
    ['/v1/jobs', true],
    ['/docs', true],
    ['/scheduler/organization/acme/history', true],
    ['/schedulers', false],
    ['/docs/errors', true],
    ['/healthz', true],
    ['/readyz', true],
    ['/', false],
    ['/v10', false],
    ['/docsx', false],
    ['/healthz/x', false],
    ['/acme/jobs', false],
  ])('knows whether %s is the API’s', (path, expected) => {
    expect(isApiPath(path)).toBe(expected)
  })
})

describe('request ids', () => {
  it('keeps a sane one', async () => {
    const got = await api.call('GET', '/v1/jobs', { headers: { 'X-Request-Id': 'trace-0123.ABC_9' } })
    expect(got.headers.get('x-request-id')).toBe('trace-0123.ABC_9')
  })

  it.each(['short', 'with blank here', 'x'.repeat(129), 'semi;colon;colon', '"quoted-quoted"'])(
    'gives its own in place of %s',
    async given => {
      const got = await api.call('GET', '/v1/jobs', { headers: { 'X-Request-Id': given } })
      expect(got.headers.get('x-request-id')).toMatch(/^rqs_[0-9a-z]{26}$/)
    },
  )
})

describe('headers of every answer', () => {
  it.each(['/v1/jobs', '/nowhere', '/healthz', '/docs', '/v1/openapi.json'])('are safe on %s', async path => {
    const got = await api.call('GET', path)
    expect(got.headers.get('x-content-type-options')).toBe('nosniff')
    expect(got.headers.get('x-frame-options')).toBe('DENY')
    expect(got.headers.get('referrer-policy')).toBe('no-referrer')
    expect(got.headers.get('content-security-policy')).toContain("default-src 'none'")
    expect(got.headers.get('strict-transport-security')).toBe('max-age=31536000')
    expect(got.headers.get('x-request-id')).toBeTruthy()
  })

  it('let nothing of a tenant be stored by a cache', async () => {
    expect((await api.call('GET', '/v1/jobs')).headers.get('cache-control')).toBe('no-store')
  })

  it('promise no https where there is none', async () => {
    const app = api.another({ publicUrl: 'http://localhost:7337' })
    const got = await callApp(app, 'GET', '/healthz', {})
    expect(got.headers.has('strict-transport-security')).toBe(false)
  })
})

describe('the size of a request', () => {
  const limits = { bytes: 1_000, rate: { perSecond: 1_000, burst: 1_000 } }
  const body = (bytes: number) =>
    JSON.stringify({ ...NIGHTLY, body: '' }).replace('""', `"${'x'.repeat(bytes - 70)}"`)

  it('may be just the limit', async () => {
    const app = api.another({ limits })
    const exact = body(1_000)
    const fill = exact.replace('xx', 'x'.repeat(2 + 1_000 - exact.length))
    expect(fill).toHaveLength(1_000)
    const put = await callApp(app, 'PUT', '/v1/jobs/large', { body: fill, key: api.own.keys.write })
    expect(put.status).toBe(201)
  })

  it('is 413 over it, naming the limit', async () => {
    const app = api.another({ limits })
    const put = await callApp(app, 'PUT', '/v1/jobs/large', { body: body(1_100), key: api.own.keys.write })
    expect(put.status).toBe(413)
    expect(put.body.code).toBe('payload_too_large')
    expect(put.body.detail).toContain('1000 bytes')
  })

  it('is 413 at the first byte too many of a body of unknown length', async () => {
    const app = api.another({ limits })
    let pulled = 0
    const endless = new ReadableStream({
      pull(controller) {
        pulled++
        controller.enqueue(new TextEncoder().encode('x'.repeat(100)))
      },
    })
    const response = await app.request('http://workly.test/v1/jobs/large', {
      method: 'PUT',
      headers: { Authorization: `Bearer ${api.own.keys.write}` },
      body: endless,
      duplex: 'half',
    } as RequestInit)
    expect(response.status).toBe(413)
    expect(pulled).toBeLessThan(200)
  })

  it('is not even looked at without a key', async () => {
    const refused = await callApp(api.another({ limits }), 'PUT', '/v1/jobs/large', {
      body: body(1_100),
      key: null,
    })
    expect(refused.status).toBe(401)
  })
})

it('refuses a compressed body with 400', async () => {
  const headers = { 'Content-Encoding': 'gzip' }
  const refused = await api.call('PUT', '/v1/jobs/nightly', { body: NIGHTLY, headers })
  expect(refused.status).toBe(400)
  expect(refused.body.detail).toContain('Content-Encoding')
})

it('reads JSON whatever the content type says', async () => {
  for (const type of ['application/x-www-form-urlencoded', 'text/plain', 'multipart/form-data', 'nonsense']) {
    const put = await api.call('PUT', '/v1/jobs/nightly', {
      body: NIGHTLY,
      headers: { 'Content-Type': type },
    })
    expect(put.status).toBe(200)
  }
})

it('names a hundred issues of a body with thousands, and how many more there are', async () => {
  const unknown = Object.fromEntries(Array.from({ length: 5_000 }, (_, i) => [`field_number_${i}`, i]))
  const refused = await api.call('PUT', '/v1/jobs/nightly', { body: unknown })
  expect(refused.status).toBe(400)
  expect(refused.body.errors).toHaveLength(100)
  // That there is no schedule and no target is told too.
  expect(refused.body.detail).toMatch(/And 4902 more\.$/)
  expect(refused.text.length).toBeLessThan(20_000)
})

it('cuts names of fields short in its answer', async () => {
  const refused = await api.call('PUT', '/v1/jobs/nightly', { body: { [`a${'😀'.repeat(100_000)}`]: 1 } })
  expect(refused.status).toBe(400)
  expect(refused.body.errors[0].field.length).toBeLessThanOrEqual(200)
  expect(refused.text.length).toBeLessThan(5_000)
})

describe('the rate of requests', () => {
  it('is held per key, with what is left in each answer and when to come back in 429', async () => {
    let nowMs = 0
    const limits = { bytes: 1_000, rate: { perSecond: 2, burst: 3 } }
    const app = api.another({ limits, nowMs: () => nowMs })
    const get = (key: string) => callApp(app, 'GET', '/v1/jobs', { key })
    const left = []
    for (let i = 0; i < 3; i++) left.push((await get(api.own.keys.read)).headers.get('ratelimit'))
    expect(left).toEqual(['"key";r=2;t=1', '"key";r=1;t=1', '"key";r=0;t=2'])
    const refused = await get(api.own.keys.read)
    expect(refused.status).toBe(429)
    expect(refused.body.code).toBe('rate_limited')
    expect(refused.headers.get('retry-after')).toBe('1')
    expect(refused.headers.get('ratelimit')).toBe('"key";r=0;t=2')
    expect(refused.headers.get('ratelimit-policy')).toBe('"key";q=3;w=2')
    expect((await get(api.own.keys.run)).status).toBe(200)
    nowMs = 500
    expect((await get(api.own.keys.read)).status).toBe(200)
    expect((await get(api.own.keys.read)).status).toBe(429)
  })

  it('is counted by each process of the API for itself', async () => {
    const limits = { bytes: 1_000, rate: { perSecond: 0.1, burst: 1 } }
    const processes = [api.another({ limits, nowMs: () => 0 }), api.another({ limits, nowMs: () => 0 })]
    for (const app of processes) {
      const get = () => callApp(app, 'GET', '/v1/jobs', { key: api.own.keys.read })
      expect([(await get()).status, (await get()).status]).toEqual([200, 429])
    }
  })
})

describe('what was not foreseen', () => {
  it('is 500 that tells nothing, with its cause in the log', async () => {
    const broken = new Proxy(api.services.sql, {
      apply() {
        throw new Error('relation "jewels" does not exist')
      },
    })
    const app = api.another({ services: { ...api.services, sql: broken } })
    const failed = await callApp(app, 'GET', '/v1/jobs', { key: api.own.keys.read })
    expect(failed.status).toBe(500)
    expect(failed.body).toMatchObject({ code: 'internal', errors: [] })
    expect(failed.text).not.toMatch(/jewels|at .*\.ts/)
    const line = api.log.find(entry => entry.includes('jewels'))
    expect(JSON.parse(line ?? '{}')).toMatchObject({ level: 50, request_id: failed.body.request_id })
  })

  it('is 503 while the database is away', async () => {
    const away = createSql('postgres://postgres@127.0.0.1:1/none', { max: 1, name: 'away' })
    const app = api.another({ services: { ...api.services, sql: away } })
    const failed = await callApp(app, 'GET', '/v1/jobs', { key: api.own.keys.read })
    expect(failed.status).toBe(503)
    expect(failed.body.code).toBe('unavailable')
    expect(failed.headers.get('retry-after')).toBe('5')
    await away.end()
  })
})

describe('the log', () => {
  it('has a line per request, without path, query, body or key', async () => {
    api.log.length = 0
    const headers = { 'X-Request-Id': 'look-for-me' }
    await api.call('PUT', '/v1/jobs/nightly', { body: { ...NIGHTLY, body: 'in the body' }, headers })
    await api.call('GET', '/v1/jobs?search=in-the-query')
    await api.call('PUT', '/v1/jobs/nightly', { body: '{"url": "in the bad body"' })
    const lines = api.log.map(line => JSON.parse(line))
    expect(lines[0]).toMatchObject({
      level: 30,
      request_id: 'look-for-me',
      method: 'PUT',
      route: '/v1/jobs/{name}',
      status: 200,
      project: api.own.ctx.projectId,
    })
    expect(lines).toHaveLength(3)
    const all = api.log.join('')
    for (const secret of ['in the', 'in-the', 'nightly', api.own.keys.write.slice(-20)])
      expect(all).not.toContain(secret)
  })
})
