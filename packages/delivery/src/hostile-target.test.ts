import { afterEach, describe, expect, it } from 'vitest'
import { CallFixture, callOf } from '../test/call-fixture.ts'

const fixture = new CallFixture()
afterEach(() => fixture.close())

/** Numbers that look random and are the same in every run (mulberry32). */
function randomFrom(seed: number): (below: number) => number {
  let state = seed
  return below => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) % below
  }
}

const SOUND = [
  'HTTP/1.1 200 OK\r\ncontent-length: 11\r\ncontent-type: text/plain\r\n\r\nhello world',
  'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\ntrailer: x\r\n\r\n5;a=b\r\nhello\r\n0\r\nx: y\r\n\r\n',
  'HTTP/1.0 503 Busy\r\nretry-after: 5\r\nconnection: close\r\n\r\n{"error":"busy"}',
  'HTTP/1.1 103 Early\r\nlink: x\r\n\r\nHTTP/1.1 204 None\r\nkeep-alive: timeout=5\r\n\r\n',
  'HTTP/1.1 302 Found\r\nlocation: https://elsewhere.example/\r\ncontent-length: 0\r\n\r\n',
]
const PIECES = [
  '\r\n',
  '\n',
  '\0',
  ':',
  ' ',
  'HTTP/1.1 200 OK\r\n\r\n',
  'content-length: 5\r\n',
  '\xff',
  '0',
  '-1',
  '101 ',
]

/** A sound response with some bytes changed, cut, doubled or put in. */
function spoiled(random: (below: number) => number): Buffer {
  let text = SOUND[random(SOUND.length)] ?? ''
  for (let changes = 1 + random(4); changes > 0; changes--) {
    const [at, to] = [random(text.length + 1), random(text.length + 1)]
    const piece = PIECES[random(PIECES.length)] ?? ''
    const kinds = [
      text.slice(0, at) + piece + text.slice(at + piece.length),
      text.slice(0, at) + piece + text.slice(at),
      text.slice(0, Math.min(at, to)) + text.slice(Math.max(at, to)),
      text.slice(0, at) + text,
    ]
    text = kinds[random(kinds.length)] ?? text
  }
  return Buffer.from(text, 'latin1')
}

describe('a target that answers nonsense', () => {
  it.each([1, 2, 3, 4])('harms neither its own calls nor the caller (seed %i)', async seed => {
    const random = randomFrom(seed)
    const target = await fixture.receiver({
      answer: () => ({ raw: spoiled(random), close: random(2) === 0 }),
    })
    const sound = await fixture.receiver({ answer: { body: 'sound' } })
    const caller = fixture.caller()
    const seen = new Set<string>()
    const calls = Array.from({ length: 300 }, async (_, n) => {
      const method = n % 7 === 0 ? 'HEAD' : 'POST'
      const result = await caller.call(callOf(target.url(), { method, timeoutMs: 1500 }), 0)
      seen.add(result.class)
      expect(result.message === null).toBe(result.class === 'ok')
    })
    await Promise.all(calls)
    for (const cls of ['ok', 'http_status', 'protocol', 'reset', 'timeout']) expect(seen).toContain(cls)
    expect([...seen].filter(cls => ['blocked', 'dns', 'connect', 'tls', 'cancelled'].includes(cls))).toEqual(
      [],
    )
    expect((await caller.call(callOf(sound.url()), 0)).class).toBe('ok')
    expect(caller.stats().inFlight).toBe(0)
  })
})
