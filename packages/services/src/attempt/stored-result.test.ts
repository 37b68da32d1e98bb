import { expect, test } from 'vitest'
import { bytesToKeep, KEPT_BODY_BYTES, type RawResult, storedResult } from './stored-result.ts'

const SECRET = 'Bearer tok_0123456789abcdef'

function answered(body: string, more: Partial<RawResult> = {}): RawResult {
  return {
    class: 'http_status',
    message: null,
    status: 500,
    headers: {},
    body: Buffer.from(body),
    bodyTruncated: false,
    timings: { dns: null, connect: null, tls: null, firstByte: null, total: 1 },
    retryAfterMs: null,
    ...more,
  }
}

const textOf = (bytes: Uint8Array | null) => Buffer.from(bytes ?? []).toString()

test('a secret is masked in headers, message and body', () => {
  const kept = storedResult(
    answered(`a ${SECRET} b ${SECRET}`, { message: `no: ${SECRET}`, headers: { 'x-echo': `<${SECRET}>` } }),
    [SECRET],
  )
  expect(kept).toMatchObject({ message: 'no: ••••', headers: { 'x-echo': '<••••>' } })
  expect(textOf(kept.body)).toBe('a •••• b ••••')
})

test('a secret that lies across the end of what is kept leaves no part of itself', () => {
  for (let kept = 1; kept < SECRET.length; kept++) {
    const before = 'x'.repeat(KEPT_BODY_BYTES - kept)
    const body = `${before}${SECRET}`
    expect(body.length).toBeLessThanOrEqual(bytesToKeep([SECRET]))
    const stored = textOf(storedResult(answered(body), [SECRET]).body)
    expect(stored.startsWith(before)).toBe(true)
    expect(stored.slice(before.length)).not.toContain(SECRET.slice(0, kept))
  }
})

test('a secret that was only begun when the answer was cut off is masked too', () => {
  for (let came = 1; came < SECRET.length; came++) {
    const body = `so far ${SECRET.slice(0, came)}`
    expect(textOf(storedResult(answered(body, { bodyTruncated: true }), [SECRET]).body)).toBe('so far ••••')
  }
})

test('a message is cut after its secrets are masked', () => {
  const message = `${'x'.repeat(1_990)}${SECRET}`
  expect(storedResult(answered('', { message }), [SECRET]).message).not.toContain('Bearer')
})
