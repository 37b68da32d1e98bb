import { afterEach, describe, expect, it, vi } from 'vitest'
import { CallFixture, callOf, targetCertificate } from '../test/call-fixture.ts'
import { FixedResolver } from '../test/fixed-resolver.ts'
import { secondLoopback } from '../test/loopback.ts'
import type { Answer, ReceivedRequest, TestReceiver } from '../test/test-receiver.ts'

const fixture = new CallFixture()
afterEach(() => fixture.close())

const connectionsOf = (target: TestReceiver) => target.requests.map(request => request.connection)

describe('a connection', () => {
  it.each([
    ['http', undefined],
    ['https', targetCertificate],
  ])('is used again by the next call of the same scope and origin, over %s', async (_scheme, tls) => {
    const target = await fixture.receiver(tls ? { tls } : {})
    const caller = fixture.caller()
    for (let n = 0; n < 3; n++) await caller.call(callOf(target.url('/', 'target.test')), 0)
    expect(connectionsOf(target)).toEqual([1, 1, 1])
    expect(caller.stats()).toEqual({ inFlight: 0, idle: 1, idleOrigins: 1 })
  })

  it('is never shared between scopes', async () => {
    const target = await fixture.receiver()
    const caller = fixture.caller()
    for (const scope of ['prj_1', 'prj_2', 'prj_1', 'prj_2'])
      await caller.call(callOf(target.url(), { scope }), 0)
    expect(connectionsOf(target)).toEqual([1, 2, 1, 2])
  })

  it('is never shared between origins, not even at one address', async () => {
    const target = await fixture.receiver()
    const caller = fixture.caller()
    for (const host of ['target.test', 'localhost']) await caller.call(callOf(target.url('/', host)), 0)
    expect(connectionsOf(target)).toEqual([1, 2])
  })

  it('is not used for a name that has moved, and is closed', async () => {
    const moved = await secondLoopback()
    const from = await fixture.receiver()
    const to = await fixture.receiver({ address: moved, port: from.port })
    const resolver = new FixedResolver({ 'target.test': [['127.0.0.1'], [moved]] })
    const caller = fixture.caller({ resolver })
    for (let n = 0; n < 2; n++) await caller.call(callOf(from.url('/', 'target.test')), 0)
    expect([from.requests.length, to.requests.length]).toEqual([1, 1])
    await from.disconnected()
  })

  it('is replaced without a failure when the target has closed it meanwhile', async () => {
    const target = await fixture.receiver()
    const caller = fixture.caller()
    await caller.call(callOf(target.url()), 0)
    target.dropConnections()
    await target.disconnected()
    expect((await caller.call(callOf(target.url()), 0)).class).toBe('ok')
    expect(connectionsOf(target)).toEqual([1, 2])
  })

  it('that the target closes upon the next request makes the call a reset, since it may have been received', async () => {
    const answers: Answer[] = [{}, 'close']
    const target = await fixture.receiver({ answer: () => answers.shift() ?? 'hang' })
    const caller = fixture.caller()
    await caller.call(callOf(target.url()), 0)
    expect((await caller.call(callOf(target.url()), 0)).class).toBe('reset')
    expect(connectionsOf(target)).toEqual([1, 1])
  })

  it('is not kept when the target says so', async () => {
    const target = await fixture.receiver({ answer: { headers: { connection: 'close' } } })
    const caller = fixture.caller()
    for (let n = 0; n < 2; n++) expect((await caller.call(callOf(target.url()), 0)).class).toBe('ok')
    expect(connectionsOf(target)).toEqual([1, 2])
  })

  it("is closed before the target's own keep-alive time is over", async () => {
    const target = await fixture.receiver({ answer: { headers: { 'Keep-Alive': 'timeout=3' } } })
    const caller = fixture.caller()
    await caller.call(callOf(target.url()), 0)
    expect(caller.stats().idle).toBe(1)
    await target.disconnected()
    await vi.waitFor(() => expect(caller.stats().idle).toBe(0))
  })

  it('does not carry a second answer over to the next call', async () => {
    const poison = 'HTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\npoison'
    const raw = `HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok${poison}`
    const target = await fixture.receiver({ answer: { raw } })
    const caller = fixture.caller()
    for (let n = 0; n < 2; n++) {
      expect(Buffer.from((await caller.call(callOf(target.url()), 0)).body).toString()).toBe('ok')
    }
    expect(connectionsOf(target)).toEqual([1, 2])
  })
})

describe('calls at once', () => {
  it.each([
    ['http', undefined],
    ['https', targetCertificate],
  ])('to one origin do not wait for one another: a hundred over %s', async (_scheme, tls) => {
    const all = Promise.withResolvers<ReceivedRequest[]>()
    const target = await fixture.receiver({ answer: { after: all.promise }, ...(tls ? { tls } : {}) })
    const caller = fixture.caller({ maxIdlePerOrigin: 10 })
    const going = Array.from({ length: 100 }, () => caller.call(callOf(target.url('/', 'target.test')), 0))
    all.resolve(await target.received(100))
    expect(new Set((await Promise.all(going)).map(result => result.class))).toEqual(new Set(['ok']))
    expect(caller.stats()).toEqual({ inFlight: 0, idle: 10, idleOrigins: 1 })
  })
})

describe('unused connections', () => {
  it('are bounded in all: those of the origin not called for longest are closed', async () => {
    const caller = fixture.caller({ maxIdle: 2 })
    const targets = [await fixture.receiver(), await fixture.receiver(), await fixture.receiver()]
    for (const target of targets) await caller.call(callOf(target.url()), 0)
    await targets[0]?.disconnected()
    expect(caller.stats()).toMatchObject({ idle: 2, idleOrigins: 2 })
    for (const target of targets.slice(1)) await caller.call(callOf(target.url()), 0)
    expect(targets.map(target => target.connections)).toEqual([1, 1, 1])
  })
})

describe('closing the caller', () => {
  it('cancels what is on its way and closes every connection', async () => {
    const idle = await fixture.receiver()
    const busy = await fixture.receiver({ answer: 'hang' })
    const caller = fixture.caller()
    await caller.call(callOf(idle.url()), 0)
    const going = caller.call(callOf(busy.url()), 0)
    await busy.received()
    await caller.close()
    expect((await going).class).toBe('cancelled')
    await Promise.all([idle.disconnected(), busy.disconnected()])
    expect(caller.stats()).toEqual({ inFlight: 0, idle: 0, idleOrigins: 0 })
    expect((await caller.call(callOf(idle.url()), 0)).class).toBe('cancelled')
  })
})
