import { gzipSync } from 'node:zlib'
import { afterEach, describe, expect, it } from 'vitest'
import { CallFixture, callOf, targetCertificate, text } from '../test/call-fixture.ts'

const fixture = new CallFixture()
afterEach(() => fixture.close())

describe('a request', () => {
  it('goes out as given: method, path and query, headers, body', async () => {
    const target = await fixture.receiver()
    const body = Uint8Array.of(0, 255, 13, 10)
    const headers = { 'X-Kind': 'daily', 'Content-Type': 'application/octet-stream', 'X-Latin': 'caf\u00e9' }
    const call = callOf(target.url('/a%20b?x=1&y=%C5%BE#fragment'), { method: 'PUT', headers, body })
    expect((await fixture.caller().call(call, 0)).class).toBe('ok')
    const [received] = target.requests
    expect(received).toMatchObject({ method: 'PUT', url: '/a%20b?x=1&y=%C5%BE' })
    expect(received?.body).toEqual(Buffer.from(body))
    expect(received?.rawHeaders).toEqual([
      ...['host', `127.0.0.1:${target.port}`, 'connection', 'keep-alive'],
      ...Object.entries(headers).flat(),
      ...['User-Agent', 'Workly/1.2.3', 'content-length', '4'],
    ])
  })

  it('lets a call replace the User-Agent', async () => {
    const target = await fixture.receiver()
    await fixture.caller().call(callOf(target.url(), { headers: { 'user-agent': 'mine/1' } }), 0)
    expect(target.requests[0]?.headers['user-agent']).toBe('mine/1')
  })

  it.each(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])(
    'can be a %s, with a body and without',
    async method => {
      const target = await fixture.receiver()
      const caller = fixture.caller()
      for (const body of [null, Buffer.from('abc')]) {
        expect(await caller.call(callOf(target.url(), { method, body }), 0)).toMatchObject({
          class: 'ok',
          status: 200,
        })
      }
      expect(target.requests.map(request => [request.method, request.body.toString()])).toEqual([
        [method, ''],
        [method, 'abc'],
      ])
    },
  )

  it('reaches localhost by its name, without asking DNS', async () => {
    const target = await fixture.receiver()
    for (const host of ['localhost', 'app.localhost']) {
      expect((await fixture.caller().call(callOf(target.url('/', host)), 0)).class).toBe('ok')
    }
    expect(target.requests[0]?.headers.host).toBe(`localhost:${target.port}`)
  })

  it('reaches a literal over https, whose certificate must name the address', async () => {
    const target = await fixture.receiver({ tls: targetCertificate })
    expect((await fixture.caller().call(callOf(target.url()), 0)).class).toBe('ok')
  })

  it('reaches an absolute name, whose certificate has no trailing dot', async () => {
    const target = await fixture.receiver({ tls: targetCertificate })
    expect((await fixture.caller().call(callOf(target.url('/', 'target.test.')), 0)).class).toBe('ok')
  })
})

describe('a response', () => {
  it('is told with status, headers and body', async () => {
    const headers = { 'X-One': 'a', 'Set-Cookie': ['b=1', 'c=2'] }
    const target = await fixture.receiver({ answer: { status: 201, headers, body: '{"id":7}' } })
    const result = await fixture.caller().call(callOf(target.url()), 0)
    expect(result).toMatchObject({ class: 'ok', status: 201, bodyTruncated: false, message: null })
    expect(result.headers).toMatchObject({ 'x-one': 'a', 'set-cookie': 'b=1, c=2' })
    expect(text(result)).toBe('{"id":7}')
  })

  it('may have headers that are named like parts of an object', async () => {
    const raw = 'HTTP/1.1 200 OK\r\n__proto__: a\r\nconstructor: b\r\ncontent-length: 0\r\n\r\n'
    const target = await fixture.receiver({ answer: { raw } })
    const { headers } = await fixture.caller().call(callOf(target.url()), 0)
    expect(Object.entries(headers ?? {})).toEqual([
      ['__proto__', 'a'],
      ['constructor', 'b'],
      ['content-length', '0'],
    ])
  })

  it('has its first 64 KiB kept, with a mark, and is read to its end up to 1 MiB', async () => {
    const body = Buffer.alloc(2 ** 20, 'ab')
    const target = await fixture.receiver({ answer: { body } })
    const caller = fixture.caller()
    const result = await caller.call(callOf(target.url()), 0)
    expect(result).toMatchObject({ class: 'ok', bodyTruncated: true })
    expect(Buffer.from(result.body)).toEqual(body.subarray(0, 65_536))
    expect(caller.stats().idle).toBe(1)
  })

  it('of over 1 MiB has its connection closed, and counts by its status', async () => {
    const body = Buffer.alloc(2 ** 20 + 1)
    const target = await fixture.receiver({ answer: { status: 500, body } })
    const caller = fixture.caller()
    const result = await caller.call(callOf(target.url()), 0)
    expect(result).toMatchObject({ class: 'http_status', status: 500, bodyTruncated: true })
    expect(caller.stats().idle).toBe(0)
    await target.disconnected()
  })

  it('has as much kept as the call asks for', async () => {
    const target = await fixture.receiver({ answer: { body: 'abcdef' } })
    const caller = fixture.caller()
    const short = await caller.call(callOf(target.url(), { keepBodyBytes: 3 }), 0)
    expect([text(short), short.bodyTruncated]).toEqual(['abc', true])
    const none = await caller.call(callOf(target.url(), { keepBodyBytes: 0 }), 0)
    expect([text(none), none.bodyTruncated]).toEqual(['', true])
  })

  it('is kept as it came, compressed or not', async () => {
    const body = gzipSync('hello')
    const target = await fixture.receiver({ answer: { headers: { 'content-encoding': 'gzip' }, body } })
    const result = await fixture.caller().call(callOf(target.url()), 0)
    expect(Buffer.from(result.body)).toEqual(body)
    expect(target.requests[0]?.headers['accept-encoding']).toBeUndefined()
  })

  it('may be preceded by informational ones', async () => {
    const raw = 'HTTP/1.1 103 Early\r\nlink: x\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok'
    const target = await fixture.receiver({ answer: { raw } })
    const result = await fixture.caller().call(callOf(target.url()), 0)
    expect(result).toMatchObject({ class: 'ok', status: 200, headers: { 'content-length': '2' } })
  })
})

describe('timings', () => {
  it('tell each part of a first call, and of one on the same connection', async () => {
    const target = await fixture.receiver({ tls: targetCertificate })
    const caller = fixture.caller()
    const url = target.url('/', 'target.test')
    const first = (await caller.call(callOf(url), 0)).timings
    expect(first).toEqual({
      dns: expect.any(Number),
      connect: expect.any(Number),
      tls: expect.any(Number),
      firstByte: expect.any(Number),
      total: expect.any(Number),
    })
    expect(first.total).toBeGreaterThanOrEqual(first.firstByte ?? Number.POSITIVE_INFINITY)
    const second = (await caller.call(callOf(url), 0)).timings
    expect(second).toMatchObject({ connect: null, tls: null, firstByte: expect.any(Number) })
  })

  it('have no name look-up for a literal', async () => {
    const target = await fixture.receiver()
    expect((await fixture.caller().call(callOf(target.url()), 0)).timings.dns).toBeNull()
  })
})

describe('Retry-After', () => {
  const now = Date.UTC(2026, 11, 1, 3, 0, 0)
  const answered = async (status: number, value: string) => {
    const target = await fixture.receiver({ answer: { status, headers: { 'Retry-After': value } } })
    return (await fixture.caller().call(callOf(target.url()), now)).retryAfterMs
  }

  it('is told for 429 and 503, in seconds', async () => {
    expect(await answered(429, '120')).toBe(120_000)
    expect(await answered(503, '0')).toBe(0)
  })

  it('is told for a date, from the end of the call', async () => {
    const wait = await answered(503, 'Tue, 01 Dec 2026 03:01:00 GMT')
    expect(wait).toBeLessThanOrEqual(60_000)
    expect(wait).toBeGreaterThan(50_000)
  })

  it('is not told for other statuses', async () => {
    expect(await answered(500, '120')).toBeNull()
    expect(await answered(200, '120')).toBeNull()
  })
})
