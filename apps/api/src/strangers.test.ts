import { WorklyError } from '@workly/core'
import { createApiKey, newApiKeyText, revokeApiKey, triggerJob } from '@workly/services'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { NIGHTLY, startTestApi, type TestApi } from '../test/api-fixture.ts'
import { openAttempt } from '../test/open-attempt.ts'
import type { ApiDeps } from './app.ts'
import { RateLimiter } from './rate-limit.ts'
import { Strangers } from './strangers.ts'

const HERE = '203.0.113.7'
const ELSEWHERE = '198.51.100.1'
const BURST = 3

let api: TestApi
beforeAll(async () => {
  api = await startTestApi()
  await api.call('PUT', '/v1/jobs/nightly', { body: NIGHTLY })
})
afterAll(() => api?.close())

let nowMs: number
/** What the database was asked since the app was made. */
let queries: number
let app: TestApi['app']
const open = (deps: Partial<ApiDeps> = {}) => {
  nowMs = 0
  queries = 0
  const sql = new Proxy(api.services.sql, {
    apply(target, self, args) {
      queries += 1
      return Reflect.apply(target, self, args)
    },
  })
  app = api.another({
    services: { ...api.services, sql },
    limits: { unauthorized: { perSecond: 1, burst: BURST } },
    nowMs: () => nowMs,
    ...deps,
  })
}
beforeEach(() => open())

interface From {
  from?: string
  forwarded?: string
  key?: string
  body?: object
}

/** A call over a connection from an address. */
function call(method: string, path: string, { from = HERE, forwarded, key, body }: From = {}) {
  const headers = {
    ...(key !== undefined && { authorization: `Bearer ${key}` }),
    ...(forwarded !== undefined && { 'x-forwarded-for': forwarded }),
  }
  const init = { method, headers, ...(body && { body: JSON.stringify(body) }) }
  return app.request(`http://workly.test${path}`, init, { incoming: { socket: { remoteAddress: from } } })
}
const list = async (key: string | undefined, from?: From) =>
  (await call('GET', '/v1/jobs', { ...(key !== undefined && { key }), ...from })).status
const unknown = () => newApiKeyText(new Date())
const wrong = () => `${api.own.keys.write.slice(0, -43)}${unknown().slice(-43)}`
const useUp = async () => {
  for (let i = 0; i < BURST; i++) expect(await list(unknown())).toBe(401)
}

describe('calls without a valid key', () => {
  it('are 429 with when to come back once an address has made too many, and ask the database nothing then', async () => {
    await useUp()
    expect(queries).toBe(BURST)
    const refused = await call('GET', '/v1/jobs', { key: unknown() })
    expect(refused.status).toBe(429)
    expect(refused.headers.get('retry-after')).toBe('1')
    expect(await refused.json()).toMatchObject({ code: 'rate_limited', detail: /valid API key/ })
    expect(queries).toBe(BURST)
    expect(await list(unknown(), { from: ELSEWHERE })).toBe(401)
    nowMs = 1_000
    expect(await list(unknown())).toBe(401)
    expect(await list(unknown())).toBe(429)
  })

  it('of an unknown id and of a wrong secret ask and are answered alike, before and after', async () => {
    for (const text of [unknown, wrong]) {
      open()
      const seen: unknown[] = []
      for (let i = 0; i < BURST + 2; i++) {
        const answer = await call('GET', '/v1/jobs', { key: text() })
        const { detail } = (await answer.json()) as { detail: string }
        seen.push([answer.status, detail.slice(0, 26), queries])
      }
      expect(seen).toEqual([
        [401, 'The API key is not valid.', 1],
        [401, 'The API key is not valid.', 2],
        [401, 'The API key is not valid.', 3],
        [429, 'Too many calls without a v', 3],
        [429, 'Too many calls without a v', 3],
      ])
    }
  })

  it('count without a key and with none that could be one too', async () => {
    expect([await list(undefined), await list('nonsense'), await list('x y')]).toEqual([401, 401, 401])
    expect(await list(undefined)).toBe(429)
    expect(queries).toBe(0)
  })

  it('many at once are no way around it', async () => {
    const answers = await Promise.all(Array.from({ length: 30 }, () => list(unknown())))
    expect(answers.filter(status => status === 401)).toHaveLength(BURST)
    expect(queries).toBe(BURST)
    const same = unknown()
    open()
    await Promise.all(Array.from({ length: 30 }, () => list(same)))
    expect(queries).toBe(BURST)
  })

  it('count for the whole /64 of IPv6, and for who stands behind a proxy that is trusted', async () => {
    const v6 = (n: number) => ({ from: `2001:db8:1:2::${n}` })
    for (let n = 1; n <= BURST; n++) expect(await list(unknown(), v6(n))).toBe(401)
    expect(await list(unknown(), v6(9))).toBe(429)
    expect(await list(unknown(), { from: '2001:db8:1:3::1' })).toBe(401)
    const behind = (forwarded: string) => ({ from: '10.0.0.1', forwarded })
    for (let n = 1; n <= BURST; n++) expect(await list(unknown(), behind('192.0.2.1'))).toBe(401)
    expect(await list(unknown(), behind('192.0.2.1'))).toBe(429)
    expect(await list(unknown(), behind('192.0.2.2'))).toBe(401)
    // What a stranger says of itself is not believed.
    await useUp()
    expect(await list(unknown(), { forwarded: '192.0.2.99' })).toBe(429)
  })
})

describe('a valid key', () => {
  it('that was seen within the hour goes on, whatever others at its address do; a new one waits', async () => {
    const { read, run } = api.own.keys
    expect(await list(read)).toBe(200)
    await useUp()
    expect(await list(read)).toBe(200)
    expect(await list(run)).toBe(429)
    expect(await list(run, { from: ELSEWHERE })).toBe(200)
    // Now it is known here too.
    expect(await list(run)).toBe(200)
    nowMs = 3_600_000
    for (let i = 0; i < BURST; i++) await list(unknown())
    expect(await list(read)).toBe(429)
  })

  it('costs nothing of it, however many calls come at once before it is known', async () => {
    const { read, write } = api.own.keys
    const answers = await Promise.all(Array.from({ length: 30 }, (_, i) => list(i % 2 ? read : write)))
    expect(new Set(answers)).toEqual(new Set([200]))
    await useUp()
  })

  it('that is revoked is a stranger’s from then on', async () => {
    const { api_key, key } = await createApiKey(api.own.ctx, { name: 'soon gone', scope: 'read' })
    const keys = new Strangers(new RateLimiter({ perSecond: 1, burst: 1 }, () => 0), () => 0)
    const check = (right: boolean) =>
      keys.checked(key, HERE, async () => {
        if (!right) throw new WorklyError('unauthorized', 'The API key was revoked.')
        return api_key.id
      })
    await check(true)
    expect(keys.size).toBe(1)
    await revokeApiKey(api.own.ctx, api_key.id)
    await expect(check(false)).rejects.toMatchObject({ code: 'unauthorized' })
    expect(keys.size).toBe(0)
    await expect(check(false)).rejects.toMatchObject({ code: 'rate_limited' })
  })

  it('is not held against its address when the database is away', async () => {
    const keys = new Strangers(new RateLimiter({ perSecond: 1, burst: 1 }, () => 0), () => 0)
    const away = () => keys.checked('key', HERE, () => Promise.reject(new Error('no database')))
    for (let i = 0; i < 3; i++) await expect(away()).rejects.toThrow('no database')
  })
})

describe('callbacks', () => {
  const report = async (id: string, token: string, more: From = {}) =>
    (await call('POST', `/v1/callbacks/${id}/${token}`, { body: { result: 'OK' }, ...more })).status
  const waiting = async () => openAttempt(api.own.ctx, (await triggerJob(api.own.ctx, 'nightly')).id)

  it('with wrong tokens are 404, then 429 that asks the database nothing; a right one is always taken', async () => {
    const { id, token } = await waiting()
    for (let i = 0; i < BURST; i++) expect(await report(id, 'wrong')).toBe(404)
    const before = queries
    expect(await report(id, 'wrong')).toBe(429)
    expect(await report(id, unknown())).toBe(429)
    expect(queries).toBe(before)
    expect(await report(id, 'wrong', { from: ELSEWHERE })).toBe(404)
    expect(await report(id, token)).toBe(204)
    expect(await report(id, token)).toBe(204)
    const [row] = await api.services.sql`select callback_result from attempts where id = ${id}`
    expect(row).toEqual({ callback_result: 'OK' })
  })

  it('with the right token are taken whatever Authorization they carry for others', async () => {
    const { id, token } = await waiting()
    await useUp()
    expect(await report(id, token, { key: 'of-another-service' })).toBe(204)
  })

  it('with an API key go by the key', async () => {
    const { id } = await waiting()
    expect(await list(api.own.keys.run)).toBe(200)
    await useUp()
    expect(await report(id, '-', { key: unknown() })).toBe(429)
    expect(await report(id, '-', { key: api.own.keys.run })).toBe(204)
  })
})

describe('pages without a key', () => {
  it('are answered whatever was refused before; the operator’s token is held to the rate where it is wrong', async () => {
    open({ operatorToken: 'the-operators-own' })
    const get = async (path: string, key?: string) =>
      (await call('GET', path, key === undefined ? {} : { key })).status
    for (let i = 0; i < BURST; i++) expect(await get('/metrics', `guess-${i}`)).toBe(401)
    expect(await get('/metrics', 'guess')).toBe(429)
    expect(await get('/metrics', 'the-operators-own')).toBe(200)
    for (const path of ['/healthz', '/readyz', '/docs', '/v1/openapi.json'])
      expect(await get(path), path).toBe(200)
  })
})

it('what is kept in mind is bounded, however many addresses and keys come by', async () => {
  const limiter = new RateLimiter({ perSecond: 1, burst: 100 }, () => 0)
  for (let i = 0; i < 120_000; i++) limiter.take(`address ${i}`)
  expect(limiter.size).toBeLessThanOrEqual(50_001)
  // Those that came last are those that are remembered.
  expect(limiter.take('address 119999').remaining).toBe(98)
  const keys = new Strangers(limiter, () => 0)
  for (let i = 0; i < 21_000; i++) await keys.checked(`key ${i}`, HERE, async () => 'owner')
  expect(keys.size).toBeLessThanOrEqual(20_000)
})
