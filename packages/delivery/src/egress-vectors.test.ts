import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { checkTargetHeaders, parseCidrs } from '@workly/core'
import { readVectors, sharedVectors } from '@workly/core/testing'
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { answerOf, type EgressCase, type EgressServer } from '../test/egress-vector.ts'
import { FixedResolver } from '../test/fixed-resolver.ts'
import { secondLoopback } from '../test/loopback.ts'
import { type Answer, selfSigned, TestAuthority, TestReceiver } from '../test/test-receiver.ts'
import { type CallResult, HttpCaller } from './index.ts'

const file = new URL('../test/vectors/egress.jsonl', import.meta.url)
const cases = readVectors<EgressCase>(file)

const PRIVATE = '127.0.0.1'
const DEADLINE_MS = 400
const authority = new TestAuthority()
const certificates = {
  'target.test': authority.issue({ names: ['target.test', 'other-target.test'] }),
  'other.test': authority.issue({ names: ['other.test'] }),
  'self-signed': selfSigned({ names: ['target.test'] }),
}

/** The address that stands for a public one: the guard is told to let it through, and no other. */
let publicAddress = ''
const toClose: { close(): Promise<void> }[] = []

beforeAll(async () => {
  publicAddress = await secondLoopback()
})

afterEach(async () => {
  vi.unstubAllEnvs()
  for (const thing of toClose.splice(0).reverse()) await thing.close()
})

async function start(...[options]: Parameters<typeof TestReceiver.start>): Promise<TestReceiver> {
  const receiver = await TestReceiver.start(options)
  toClose.push(receiver)
  return receiver
}

/** Everything one case needs: the target, a listener on a private address beside it, and the caller. */
interface Scene {
  target: TestReceiver
  privateTarget: TestReceiver
  plainTarget: TestReceiver
  call(more?: { host?: string; timeoutMs?: number; signal?: AbortSignal }): Promise<CallResult>
}

const inWords = (addresses: readonly string[]) => addresses.map(a => (a === 'PUBLIC' ? publicAddress : a))

function resolverOf(server: EgressServer): FixedResolver {
  const known = { 'target.test': [publicAddress], 'other-target.test': [publicAddress] }
  const { resolver } = server
  if (resolver === undefined) return new FixedResolver(known)
  if (typeof resolver === 'string') return new FixedResolver({ ...known, 'target.test': 'hangs' })
  const answers = resolver.map(one => (typeof one === 'string' ? one : inWords(one)))
  const flat = answers.every(one => typeof one === 'string')
  return new FixedResolver({ ...known, 'target.test': flat ? inWords(answers) : (answers as string[][]) })
}

/** A redirect's way to where this test would see it followed. */
function pointed(answer: Answer, privateTarget: TestReceiver, plainTarget: TestReceiver): Answer {
  if (typeof answer === 'string' || !('raw' in answer) || typeof answer.raw !== 'string') return answer
  const raw = answer.raw
    .replace('https://127.0.0.1/', privateTarget.url('/'))
    .replace('http://target.test/', plainTarget.url('/', 'target.test'))
  return { ...answer, raw }
}

async function stage(server: EgressServer): Promise<Scene> {
  for (const [name, value] of Object.entries(server.env ?? {})) vi.stubEnv(name, value)
  const privateTarget = await start({ tls: certificates['target.test'] })
  const plainTarget = await start({ address: publicAddress })
  const target = await start({
    address: publicAddress,
    tls: certificates[server.cert ?? 'target.test'],
    answer: pointed(answerOf(server.other_target ?? server), privateTarget, plainTarget),
    connections: server.silent_after === 'tcp' ? 'silent' : server.close_at === 'tls' ? 'reset' : 'serve',
  })
  const caller = new HttpCaller({
    allowedPrivate: parseCidrs(publicAddress),
    // Allowed here, so that a call over plain http would be seen.
    allowHttp: true,
    userAgent: 'Workly/test',
    resolver: resolverOf(server),
    ca: authority.cert,
  })
  toClose.push(caller)
  const call: Scene['call'] = ({ host = 'target.test', timeoutMs = 10_000, signal } = {}) =>
    caller.call(
      {
        url: target.url('/', host),
        method: 'POST',
        headers: { ...server.headers, ...server.target_headers },
        body: Buffer.from('{}'),
        timeoutMs,
        scope: 'prj',
        ...(signal ? { signal } : {}),
      },
      Date.now(),
    )
  return { target, privateTarget, plainTarget, call }
}

async function timed<T>(run: () => Promise<T>): Promise<[result: T, ms: number]> {
  const began = performance.now()
  const result = await run()
  return [result, performance.now() - began]
}

/** Bytes of response bodies that were read while `run` ran, and the size of the last piece. */
async function bodyBytes<T>(run: () => Promise<T>): Promise<[result: T, beforeLast: number]> {
  let [read, last] = [0, 0]
  const count = (message: unknown) => {
    last = (message as { chunk: Uint8Array }).chunk.length
    read += last
  }
  subscribe('undici:request:bodyChunkReceived', count)
  const result = await run()
  unsubscribe('undici:request:bodyChunkReceived', count)
  return [result, read - last]
}

const checks: Record<string, (test: EgressCase) => Promise<void>> = {
  async basic(test) {
    const { call } = await stage(test.server)
    expect(await call()).toMatchObject(test.expect)
  },

  async redirect({ server, expect: expected }) {
    const { call, target, privateTarget, plainTarget } = await stage(server)
    const result = await call()
    expect(result.class).toBe('http_status')
    expect(result.message).toContain(result.location)
    expect(privateTarget.connections).toBe(expected.connections_to_private ?? 0)
    expect(plainTarget.requests).toHaveLength(expected.plain_http_requests ?? 0)
    expect(target.requests).toHaveLength(expected.max_requests ?? 1)
  },

  async deadline({ server, expect: expected }) {
    const { call } = await stage(server)
    if (expected.other_target_done_within_ms !== undefined) {
      const stop = new AbortController()
      const hung = Array.from({ length: 8 }, () => call({ signal: stop.signal }))
      const [result, ms] = await timed(() => call({ host: 'other-target.test' }))
      expect(result.class).toBe('ok')
      expect(ms).toBeLessThan(expected.other_target_done_within_ms)
      stop.abort()
      expect(new Set((await Promise.all(hung)).map(one => one.class))).toEqual(new Set(['cancelled']))
      return
    }
    const calls = Array.from({ length: server.parallel_to_same_host ?? 1 }, () =>
      call({ timeoutMs: DEADLINE_MS }),
    )
    const [results, ms] = await timed(() => Promise.all(calls))
    for (const result of results)
      expect([expected.each_class ?? expected.class].flat()).toContain(result.class)
    expect(ms).toBeGreaterThan(DEADLINE_MS - 50)
    expect(ms).toBeLessThan(DEADLINE_MS + (expected.within_ms_of_deadline ?? 1000))
  },

  async size({ server, expect: expected }) {
    const { call } = await stage(server)
    const before = process.memoryUsage.rss()
    const timeoutMs = expected.ends_before_deadline ? 10_000 : 1000
    const [[result, ms], read] = await bodyBytes(() => timed(() => call({ timeoutMs })))
    const grown = (process.memoryUsage.rss() - before) / 2 ** 20
    expect(grown).toBeLessThan(expected.max_rss_growth_mib ?? 256)
    expect(read).toBeLessThanOrEqual(expected.max_bytes_read ?? 2 ** 20)
    expect(result.body.length).toBeLessThanOrEqual(64 * 1024)
    if (expected.not_class) expect(result.class).toBe('response_too_large')
    if (expected.ends_before_deadline) {
      expect(ms).toBeLessThan(timeoutMs)
      expect(result).toMatchObject({ class: 'ok', status: 200, bodyTruncated: true })
    }
  },

  async protocol({ server, expect: expected }) {
    const { call } = await stage(server)
    const result = await call()
    if (expected.class) expect(expected.class).toContain(result.class)
    if (expected.not_class) expect(result.class).not.toBe(expected.not_class)
    if (expected.second_attempt_body_is_not === undefined) return
    const second = await call()
    expect(Buffer.from(second.body).toString()).not.toBe(expected.second_attempt_body_is_not)
  },

  async tls({ server, expect: expected }) {
    const { call, target } = await stage(server)
    const result = await call()
    if (expected.class) expect(result.class).toBe(expected.class)
    if (expected.not_class) expect(result.class).not.toBe(expected.not_class)
    expect(target.requests).toHaveLength(result.class === 'ok' ? 1 : 0)
  },

  async rebind({ server, expect: expected }) {
    const { call, privateTarget } = await stage(server)
    const classes: string[] = []
    for (let n = 0; n < (server.attempts ?? 1); n++) classes.push((await call()).class)
    expect(classes).toEqual(expected.classes ?? [expected.class])
    expect(privateTarget.connections).toBe(expected.connections_to_private)
  },

  async headers({ server, expect: expected }) {
    const headers = server.target_headers ?? {}
    const issues = checkTargetHeaders(headers)
    if (expected.refused_at_registration) {
      expect(issues).toHaveLength(1)
      return
    }
    expect(issues).toEqual([])
    const { call, target } = await stage(server)
    expect((await call()).class).toBe(expected.class)
    const [received] = target.requests
    for (const [name, value] of Object.entries(headers)) {
      expect(received?.headers[name.toLowerCase()]).toBe(value)
    }
  },
}

describe('egress vectors', () => {
  it('are the shared ones, where those are at hand', () => {
    const own = readFileSync(file, 'utf8')
    expect(own).toBe(sharedVectors('egress.jsonl') ?? own)
    expect(cases.length).toBeGreaterThanOrEqual(54)
  })

  it('are called at an address that is not the private one', () => {
    expect(isIP(publicAddress)).not.toBe(0)
    expect(publicAddress).not.toBe(PRIVATE)
  })

  it.each(cases)('$id: $why', async test => {
    const check = checks[test.group]
    expect(check, `a check for the group ${test.group}`).toBeDefined()
    await check?.(test)
  })
})
