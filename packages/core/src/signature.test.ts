import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { readVectors, sharedVectors } from '../test/vector-file.ts'
import {
  type HeaderSource,
  newSigningSecret,
  SignatureError,
  signaturesFor,
  verifySignature,
} from './signature.ts'

interface SignatureCase {
  id: string
  now: number
  secret: string
  headers: Record<string, string | string[]>
  body?: string
  body_base64?: string
  expect: 'valid' | 'invalid'
  error: string | null
  why: string
}

const file = new URL('../test/vectors/signature.jsonl', import.meta.url)
const cases = readVectors<SignatureCase>(file)

const bodyOf = (test: SignatureCase): Uint8Array =>
  test.body === undefined ? Buffer.from(test.body_base64 ?? '', 'base64') : Buffer.from(test.body)

function errorOf(run: () => unknown): unknown {
  try {
    run()
  } catch (error) {
    return error
  }
  return null
}

const codeOf = (run: () => unknown) => {
  const error = errorOf(run)
  return error instanceof SignatureError ? error.code : error
}

describe('signature vectors', () => {
  it('are the shared ones, where those are at hand', () => {
    const own = readFileSync(file, 'utf8')
    expect(own).toBe(sharedVectors('signature.jsonl') ?? own)
    expect(cases.length).toBeGreaterThanOrEqual(22)
  })

  it.each(cases)('$id: $why', test => {
    const run = () => verifySignature({ ...test, body: bodyOf(test) })
    if (test.expect === 'valid') {
      expect(run()).toEqual({ runId: 'run_01JD9Z7Q3M8K', timestamp: expect.any(Number) })
    } else {
      expect(codeOf(run)).toBe(test.error)
    }
  })
})

const secret = newSigningSecret(randomBytes)
const older = newSigningSecret(randomBytes)
const now = 1_796_000_000
const body = Uint8Array.of(0, 255, 254, 13, 10)
const id = 'run_01jd9z7q3m8kxxxxxxxxxxxxxx'

function signed(
  secrets: string[],
  names = ['Workly-Run-Id', 'Workly-Timestamp', 'Workly-Signature'],
  as = id,
) {
  const values = [as, String(now), signaturesFor({ id: as, timestamp: now, body, secrets })]
  return Object.fromEntries(names.map((name, i) => [name, values[i] ?? '']))
}

const standard = ['webhook-id', 'webhook-timestamp', 'webhook-signature']

describe('signing', () => {
  it('makes secrets of 32 random bytes', () => {
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
    expect(secret).not.toBe(older)
  })

  it('signs with each secret, newest first', () => {
    const both = signaturesFor({ id, timestamp: now, body, secrets: [secret, older] }).split(' ')
    expect(both).toEqual([
      signaturesFor({ id, timestamp: now, body, secrets: [secret] }),
      signaturesFor({ id, timestamp: now, body, secrets: [older] }),
    ])
  })

  it('refuses an id with a dot, since the signed text could be cut elsewhere', () => {
    expect(() => signaturesFor({ id: 'run_1.2', timestamp: now, body, secrets: [secret] })).toThrow(
      RangeError,
    )
    expect(() => signaturesFor({ id: '', timestamp: now, body, secrets: [secret] })).toThrow(RangeError)
  })

  it('refuses a timestamp that is not in whole seconds, and to sign with nothing', () => {
    expect(() => signaturesFor({ id, timestamp: now + 0.5, body, secrets: [secret] })).toThrow(
      'whole unix seconds',
    )
    expect(() => signaturesFor({ id, timestamp: now, body, secrets: [] })).toThrow('no secret')
  })
})

describe('verifySignature', () => {
  const verify = (headers: HeaderSource, more: object = {}) =>
    verifySignature({ headers, body, secret, now, ...more })

  it('takes headers as fetch presents them', () => {
    expect(verify(new Headers(signed([secret])))).toEqual({ runId: id, timestamp: now })
  })

  it('takes a string body as its UTF-8 bytes', () => {
    const text = 'žluťoučký'
    const signature = signaturesFor({ id, timestamp: now, body: Buffer.from(text), secrets: [secret] })
    const headers = { 'workly-run-id': id, 'workly-timestamp': `${now}`, 'workly-signature': signature }
    expect(verify(headers, { body: text }).runId).toBe(id)
  })

  it('takes any of several secrets', () => {
    expect(verify(signed([older]), { secret: undefined, secrets: [secret, older] }).runId).toBe(id)
    expect(codeOf(() => verify(signed([older])))).toBe('no_matching_signature')
  })

  it("reads Standard Webhooks' headers where Workly's are gone", () => {
    expect(verify(signed([secret], standard))).toEqual({ runId: id, timestamp: now })
  })

  it("gives the run's id for a step of a pipeline", () => {
    expect(verify(signed([secret], standard, `${id}_load_2`)).runId).toBe(id)
  })

  it("does not complete Workly's headers from the others", () => {
    const mixed = { ...signed([secret], standard), 'Workly-Run-Id': id }
    expect(codeOf(() => verify(mixed))).toBe('missing_header')
  })

  it('names the header that is missing', () => {
    expect(String(errorOf(() => verify({})))).toContain('Workly-Run-Id')
    const { 'Workly-Signature': _, ...rest } = signed([secret])
    expect(String(errorOf(() => verify(rest)))).toContain('Workly-Signature')
  })

  it('refuses a message cut again at another dot', () => {
    const text = 'a.b'
    const signature = signaturesFor({ id, timestamp: now, body: Buffer.from(text), secrets: [secret] })
    const headers = {
      'workly-run-id': `${id}.${now}`,
      'workly-timestamp': 'a',
      'workly-signature': signature,
    }
    expect(codeOf(() => verify(headers, { body: 'b' }))).toBe('invalid_timestamp')
    const recut = { ...headers, 'workly-timestamp': `${now}`, 'workly-run-id': `${id}.1` }
    expect(codeOf(() => verify(recut))).toBe('no_matching_signature')
  })

  it.each(['1e9', '1796000000.0', '-1', ' 1796000000', '0x1', ''])('refuses the timestamp %j', text => {
    const headers = { ...signed([secret]), 'Workly-Timestamp': text }
    expect(codeOf(() => verify(headers))).toBe(text === '' ? 'missing_header' : 'invalid_timestamp')
  })

  it('refuses an id or a timestamp given twice', () => {
    const [once] = [signed([secret])]
    expect(codeOf(() => verify({ ...once, 'Workly-Run-Id': [id, id] }))).toBe('no_matching_signature')
    expect(codeOf(() => verify({ ...once, 'Workly-Timestamp': [`${now}`, `${now}`] }))).toBe(
      'invalid_timestamp',
    )
  })

  it('can be told another tolerance', () => {
    expect(verify(signed([secret]), { now: now + 10, toleranceSeconds: 10 }).timestamp).toBe(now)
    expect(codeOf(() => verify(signed([secret]), { now: now + 11, toleranceSeconds: 10 }))).toBe(
      'timestamp_too_old',
    )
    expect(codeOf(() => verify(signed([secret]), { now: now - 11, toleranceSeconds: 10 }))).toBe(
      'timestamp_too_new',
    )
  })

  it('tells a missing or mistyped secret from a bad signature', () => {
    expect(errorOf(() => verify(signed([secret]), { secret: undefined }))).toBeInstanceOf(TypeError)
    expect(errorOf(() => verify(signed([secret]), { secret: 'whsec_not base64' }))).toBeInstanceOf(TypeError)
    expect(errorOf(() => verify(signed([secret]), { secret: 'whsec_' }))).toBeInstanceOf(TypeError)
  })
})
