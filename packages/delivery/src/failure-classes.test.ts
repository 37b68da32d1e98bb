import { createServer } from 'node:net'
import { parseCidrs } from '@workly/core'
import { afterEach, describe, expect, it } from 'vitest'
import { authority, CallFixture, callOf, targetCertificate } from '../test/call-fixture.ts'
import { DeafListener } from '../test/deaf-listener.ts'
import { FixedResolver } from '../test/fixed-resolver.ts'
import { type Answering, selfSigned, type TestCertificate } from '../test/test-receiver.ts'
import type { CallResult, HttpCall, HttpCallerOptions } from './index.ts'

const fixture = new CallFixture()
afterEach(() => fixture.close())

/** What becomes of a call to a target over plain http that answers so. */
async function answered(answer: Answering, more: Partial<HttpCall> = {}): Promise<CallResult> {
  const target = await fixture.receiver({ answer })
  return fixture.caller().call(callOf(target.url('/', 'target.test'), more), 0)
}

/** What becomes of a call over https to a target with this certificate. */
async function shown(tls: TestCertificate, options: Partial<HttpCallerOptions> = {}): Promise<CallResult> {
  const target = await fixture.receiver({ tls })
  const result = await fixture.caller(options).call(callOf(target.url('/', 'target.test')), 0)
  expect(target.requests).toHaveLength(0)
  return result
}

describe('blocked', () => {
  it('is an address that the guard refuses, with no connection made', async () => {
    const target = await fixture.receiver()
    const result = await fixture.caller({ allowedPrivate: [] }).call(callOf(target.url()), 0)
    expect(result).toMatchObject({ class: 'blocked', status: null })
    expect(result.message).toBe(
      '127.0.0.1 is not an address on the public internet. Workly calls addresses on the public internet only.',
    )
    expect(target.connections).toBe(0)
  })

  it('is a name that leads to one, and the message does not give the address away', async () => {
    const resolver = new FixedResolver({ 'target.test': ['10.1.2.3'] })
    const result = await fixture.caller({ resolver }).call(callOf('https://target.test/'), 0)
    expect(result.class).toBe('blocked')
    expect(result.message).toContain('target.test has an address that is not on the public internet')
    expect(result.message).not.toContain('10.1.2.3')
  })

  it('is localhost unless loopback is opened, of which one address is enough', async () => {
    const target = await fixture.receiver()
    const call = callOf(target.url('/', 'localhost'))
    expect((await fixture.caller({ allowedPrivate: [] }).call(call, 0)).class).toBe('blocked')
    expect((await fixture.caller({ allowedPrivate: parseCidrs('127.0.0.0/8') }).call(call, 0)).class).toBe(
      'ok',
    )
  })

  it.each([
    ['http://target.test/', 'must begin with https://'],
    ['https://user:pw@target.test/', 'credentials'],
    ['nonsense', 'must begin with https://'],
  ])('is the URL %s, should it have got past registration', async (url, why) => {
    const result = await fixture.caller({ allowHttp: false }).call(callOf(url), 0)
    expect(result.class).toBe('blocked')
    expect(result.message).toContain(why)
  })

  it('is plain http to a name, where http is open to loopback only', async () => {
    const target = await fixture.receiver()
    const caller = fixture.caller({ allowHttp: 'loopback' })
    expect((await caller.call(callOf(target.url('/', 'target.test')), 0)).class).toBe('blocked')
    expect((await caller.call(callOf(target.url('/', 'localhost')), 0)).class).toBe('ok')
  })

  it.each(['Host', 'Content-Length', 'transfer-encoding', 'Connection', 'Upgrade', 'Expect', 'TE'])(
    'is a call that would set %s',
    async name => {
      const result = await answered({}, { headers: { [name]: 'x' } })
      expect(result.class).toBe('blocked')
      expect(result.message).toContain(`the header ${name} cannot be set`)
    },
  )

  it.each([
    ['x-a', 'a\r\nx-b: 1'],
    ['x-a', 'ž'],
    ['x a', '1'],
  ])('is a call with the header %j: %j', async (name, value) => {
    const result = await answered({}, { headers: { [name]: value } })
    expect(result.class).toBe('blocked')
    expect(result.message).toContain('the request cannot be sent')
  })
})

describe('dns', () => {
  it('is a name without an address', async () => {
    const result = await fixture.caller().call(callOf('https://nowhere.test/'), 0)
    expect(result.class).toBe('dns')
    expect(result.message).toContain('The name nowhere.test has no address in DNS.')
  })

  it('is an empty answer', async () => {
    const resolver = new FixedResolver({ 'target.test': [] })
    expect((await fixture.caller({ resolver }).call(callOf('https://target.test/'), 0)).class).toBe('dns')
  })
})

describe('connect', () => {
  it('is a port where nobody listens', async () => {
    const target = await fixture.receiver()
    const { port } = target
    await target.close()
    const result = await fixture.caller().call(callOf(`http://target.test:${port}/`), 0)
    expect(result.class).toBe('connect')
    expect(result.message).toContain(`target.test refused the connection on port ${port}.`)
  })
})

describe('tls', () => {
  it('is a certificate that has expired, and the message says when', async () => {
    const [from, to] = [new Date('2025-01-01T00:00:00Z'), new Date('2025-05-01T12:00:00Z')]
    const result = await shown(authority.issue({ names: ['target.test'], from, to }))
    expect(result.class).toBe('tls')
    expect(result.message).toBe('The certificate of target.test expired on 1 May 2025; renew it.')
  })

  it('is a certificate that is not valid yet', async () => {
    const [from, to] = [new Date('2040-01-02T00:00:00Z'), new Date('2041-01-01T00:00:00Z')]
    const result = await shown(authority.issue({ names: ['target.test'], from, to }))
    expect(result.message).toBe(
      'The certificate of target.test is not valid before 2 January 2040; install one that is.',
    )
  })

  it('is a certificate for other names, which are told', async () => {
    const result = await shown(authority.issue({ names: ['other.test', 'www.other.test'] }))
    expect(result.class).toBe('tls')
    expect(result.message).toContain('is for other.test, www.other.test. Install one that names target.test.')
  })

  it('is a self-signed certificate', async () => {
    const result = await shown(selfSigned({ names: ['target.test'] }))
    expect(result.class).toBe('tls')
    expect(result.message).toContain('is self-signed')
  })

  it('is a certificate of an authority that nobody trusts', async () => {
    const result = await shown(targetCertificate, { ca: [] })
    expect(result.class).toBe('tls')
    expect(result.message).toContain('leads to no trusted authority')
  })

  it('is a server that speaks plain http', async () => {
    const target = await fixture.receiver()
    const url = target.url('/', 'target.test').replace('http:', 'https:')
    const result = await fixture.caller().call(callOf(url), 0)
    expect(result.class).toBe('tls')
    expect(result.message).toContain('does not speak TLS on this port')
  })

  it('is a server that hangs up during the handshake', async () => {
    const target = await fixture.receiver({ tls: targetCertificate, connections: 'reset' })
    const result = await fixture.caller().call(callOf(target.url('/', 'target.test')), 0)
    expect(result.class).toBe('tls')
    expect(result.message).toContain('closed the connection during the TLS handshake')
  })
})

describe('timeout', () => {
  it('says that the request was sent but not answered', async () => {
    const result = await answered('hang', { timeoutMs: 200 })
    expect(result).toMatchObject({ class: 'timeout', status: null })
    expect(result.message).toContain(
      'target.test was not done within 0.2 s: the request was sent but no response',
    )
  })

  it('says that the response did not end, and keeps what had come of it', async () => {
    const raw = 'HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nabc'
    const result = await answered({ raw }, { timeoutMs: 200 })
    expect(result).toMatchObject({ class: 'timeout', status: 200, body: Buffer.from('abc') })
    expect(result.message).toContain('the response had begun but not ended')
  })

  it('says that the connection was not accepted', async () => {
    const deaf = await DeafListener.start('127.0.0.1')
    const result = await fixture
      .caller()
      .call(callOf(`http://127.0.0.1:${deaf.port}/`, { timeoutMs: 200 }), 0)
    expect(result.class).toBe('timeout')
    expect(result.message).toContain('it had not accepted the connection')
    await deaf.close()
  })

  it('says that the TLS handshake did not end', async () => {
    const target = await fixture.receiver({ tls: targetCertificate, connections: 'silent' })
    const result = await fixture.caller().call(callOf(target.url(), { timeoutMs: 200 }), 0)
    expect(result.class).toBe('timeout')
    expect(result.message).toContain('the TLS handshake had not ended')
    expect(result.timings).toMatchObject({ connect: expect.any(Number), tls: null })
    await target.disconnected()
  })

  it('says that the name was still being looked up, and ends the look-up', async () => {
    const aborted = Promise.withResolvers<void>()
    const resolver = {
      resolve: (_host: string, signal: AbortSignal) => {
        signal.addEventListener('abort', () => aborted.resolve())
        return new Promise<string[]>(() => undefined)
      },
    }
    const result = await fixture
      .caller({ resolver })
      .call(callOf('https://target.test/', { timeoutMs: 200 }), 0)
    expect(result.class).toBe('timeout')
    expect(result.message).toContain('still being looked up in DNS')
    await aborted.promise
  })

  it('closes the connection', async () => {
    const target = await fixture.receiver({ answer: 'hang' })
    await fixture.caller().call(callOf(target.url(), { timeoutMs: 200 }), 0)
    await target.disconnected()
  })
})

describe('reset', () => {
  it('is a connection that is reset before the response', async () => {
    const result = await answered('reset')
    expect(result).toMatchObject({ class: 'reset', status: null })
    expect(result.message).toContain('closed the connection without answering')
  })

  it('is a connection that is closed before the response', async () => {
    expect((await answered('close')).class).toBe('reset')
  })

  it('is a connection that is closed in the middle of the response', async () => {
    const raw = 'HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nabc'
    const result = await answered({ raw, close: true })
    expect(result).toMatchObject({ class: 'reset', status: 200 })
    expect(result.message).toContain('in the middle of its response')
  })

  it('is a target that hangs up on every connection at once, after no more than two', async () => {
    let connections = 0
    const server = createServer(socket => {
      connections++
      socket.on('error', () => undefined)
      socket.destroy()
    })
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    const address = server.address()
    const port = typeof address === 'object' ? address?.port : 0
    const result = await fixture.caller().call(callOf(`http://127.0.0.1:${port}/`), 0)
    expect(result.class).toBe('reset')
    expect(connections).toBeLessThanOrEqual(2)
    server.close()
  })
})

describe('protocol', () => {
  it.each([
    ['another protocol', 'SSH-2.0-OpenSSH_9\r\n'],
    ['a status that is none', 'HTTP/1.1 000 X\r\ncontent-length: 0\r\n\r\n'],
    ['two lengths', 'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab'],
    ['a bad chunk', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n'],
    ['an upgrade nobody asked for', 'HTTP/1.1 101 S\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n'],
    ['NUL in a header', 'HTTP/1.1 200 OK\r\nx: a\0b\r\ncontent-length: 0\r\n\r\n'],
  ])('is %s', async (_what, raw) => {
    const result = await answered({ raw })
    expect(result.class).toBe('protocol')
    expect(result.message).toContain('is not valid HTTP/1.1')
  })

  it('is a server that speaks first', async () => {
    const server = createServer(socket => {
      socket.on('error', () => undefined)
      socket.write('220 mail.example ESMTP\r\n')
    })
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    const address = server.address()
    const port = typeof address === 'object' ? address?.port : 0
    expect((await fixture.caller().call(callOf(`http://127.0.0.1:${port}/`), 0)).class).toBe('protocol')
    server.close()
  })
})

describe('http_status', () => {
  it.each([301, 302, 303, 307, 308])(
    'is a %i, which is not followed and says where it pointed',
    async status => {
      const location = 'https://elsewhere.example/new'
      const result = await answered({ status, headers: { location }, body: '{"message":"moved"}' })
      expect(result).toMatchObject({ class: 'http_status', status, location })
      expect(result.message).toContain(`pointed to ${location}. Redirects are not followed`)
    },
  )

  it('is a 304, which points nowhere', async () => {
    const result = await answered({ status: 304 })
    expect(result).toMatchObject({ class: 'http_status', status: 304, location: null })
    expect(result.message).toContain('Answer with a 2xx')
  })

  it.each([
    [401, 'The target answered 401 Unauthorized. Check the credentials'],
    [404, 'The target answered 404 Not Found. Check the path'],
    [500, 'The target answered 500 Internal Server Error. Look in its log'],
    [599, 'The target answered 599. Look in its log'],
  ])('is a %i, with what to do', async (status, message) => {
    const result = await answered({ status })
    expect(result).toMatchObject({ class: 'http_status', status })
    expect(result.message).toContain(message)
  })

  it("has the body's own message where it is JSON", async () => {
    expect((await answered({ status: 422, body: '{"message":"No report for May."}' })).message).toBe(
      'No report for May.',
    )
  })
})

describe('response_too_large', () => {
  it.each([
    ['one large header', `x: ${'v'.repeat(17_000)}\r\n`],
    ['many small ones', 'abcdefgh: 12345678\r\n'.repeat(1100)],
  ])('is a header block over 16 KiB: %s', async (_what, lines) => {
    const result = await answered({ raw: `HTTP/1.1 200 OK\r\n${lines}content-length: 0\r\n\r\n` })
    expect(result.class).toBe('response_too_large')
    expect(result.message).toContain('larger than 16 KiB')
  })

  it('is not one just under it', async () => {
    const result = await answered({
      raw: `HTTP/1.1 200 OK\r\nx: ${'v'.repeat(16_300)}\r\ncontent-length: 0\r\n\r\n`,
    })
    expect(result.class).toBe('ok')
  })
})

describe('cancelled', () => {
  it('is a call whose signal is aborted before it starts', async () => {
    const target = await fixture.receiver()
    const result = await fixture.caller().call(callOf(target.url(), { signal: AbortSignal.abort() }), 0)
    expect(result).toMatchObject({
      class: 'cancelled',
      message: 'The call was cancelled while it was going.',
    })
    expect(target.connections).toBe(0)
  })

  it('is a call cancelled while its name is looked up', async () => {
    const stop = new AbortController()
    const resolver = new FixedResolver({ 'target.test': 'hangs' })
    const going = fixture
      .caller({ resolver })
      .call(callOf('https://target.test/', { signal: stop.signal }), 0)
    stop.abort()
    expect((await going).class).toBe('cancelled')
  })

  it('is a call cancelled while it connects', async () => {
    const stop = new AbortController()
    const target = await fixture.receiver({ tls: targetCertificate, connections: 'silent' })
    const going = fixture.caller().call(callOf(target.url(), { signal: stop.signal }), 0)
    stop.abort()
    expect((await going).class).toBe('cancelled')
    await target.disconnected()
  })

  it('is a call cancelled while it waits for the response, and the target sees the connection close', async () => {
    const stop = new AbortController()
    const target = await fixture.receiver({ answer: 'hang' })
    const going = fixture.caller().call(callOf(target.url(), { signal: stop.signal }), 0)
    await target.received()
    const began = performance.now()
    stop.abort()
    expect((await going).class).toBe('cancelled')
    expect(performance.now() - began).toBeLessThan(1000)
    await target.disconnected()
  })

  it('is a call cancelled while the body comes', async () => {
    const stop = new AbortController()
    const first = 'HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n'
    const target = await fixture.receiver({ answer: { drip: { first, each: 'x', everyMs: 5 } } })
    const going = fixture.caller().call(callOf(target.url(), { signal: stop.signal }), 0)
    await target.received()
    stop.abort()
    expect((await going).class).toBe('cancelled')
    await target.disconnected()
  })

  it('does not come from a signal that is aborted after the end', async () => {
    const stop = new AbortController()
    const target = await fixture.receiver()
    const result = await fixture.caller().call(callOf(target.url(), { signal: stop.signal }), 0)
    stop.abort()
    expect(result.class).toBe('ok')
  })
})
