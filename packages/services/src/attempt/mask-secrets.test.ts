import { describe, expect, test } from 'vitest'
import { maskBytes, maskText } from './mask-secrets.ts'

/** Signs that every encoder writes in another way. */
const SECRET = `k"e'y<&>/+= é\\~%${'tail'}`
const TOKEN = 'tok_0123456789abcdef'

const masked = (text: string, secret = SECRET) => maskText(text, [secret])
const html = (text: string, quote: string) =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", quote)
const ascii = (text: string) =>
  text.replace(/[^\x20-\x7e]/g, c => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`)

describe('a secret is masked', () => {
  test.each([
    ['as it was given', SECRET],
    ['in JSON', JSON.stringify({ echoed: SECRET }).slice(11, -2)],
    ['in JSON of ASCII', ascii(JSON.stringify(SECRET).slice(1, -1))],
    ['in JSON with its slashes escaped', JSON.stringify(SECRET).slice(1, -1).replaceAll('/', '\\/')],
    ['percent-encoded', encodeURIComponent(SECRET)],
    ['percent-encoded in small letters', encodeURIComponent(SECRET).replace(/%../g, c => c.toLowerCase())],
    ['in a form', new URLSearchParams({ k: SECRET }).toString().slice(2)],
    ['in HTML, by one encoder', html(SECRET, '&#39;')],
    ['in HTML, by another', html(SECRET, '&#x27;')],
  ])('%s', (_, form) => {
    expect(form).not.toBe('')
    expect(masked(`<${form}>`)).toBe('<••••>')
  })

  test('in base64 of the bytes that went out in a header, which are Latin-1', () => {
    const echoed = Buffer.from(SECRET, 'latin1').toString('base64').replace(/=+$/, '')
    // The last character also holds what a neighbour would have put there.
    expect(masked(`<${echoed}>`)).toMatch(/^<••••.?>$/)
  })

  test.each([0, 1, 2])(
    'in base64 after %d bytes, of either alphabet, but for the bits of its neighbours',
    before => {
      for (const secret of [SECRET, TOKEN, `${TOKEN}?>?>?>`]) {
        const bytes = Buffer.from(`${'x'.repeat(before)}${secret}`)
        for (const encoding of ['base64', 'base64url'] as const) {
          const shown = masked(`{"echo":"${bytes.toString(encoding)}"}`, secret)
          const left = Buffer.from(/"([^"•]*)•+([^"•]*)"/.exec(shown)?.slice(1).join('') ?? shown, 'base64')
          expect(left.length).toBeLessThanOrEqual(before + 2)
        }
      }
    },
  )

  test('as the bytes that a header carries', () => {
    const echoed = Buffer.from(`<${SECRET}>`, 'latin1')
    expect(Buffer.from(maskBytes(echoed, [SECRET], false)).toString()).toBe('<••••>')
  })

  test('without the word before a credential', () => {
    expect(masked(`no such token: ${TOKEN}`, `Bearer ${TOKEN}`)).toBe('no such token: ••••')
    expect(masked('Bearer of news', 'Bearer of')).toBe('•••• news')
    expect(masked('of course', 'Bearer of')).toBe('of course')
  })
})

test('values of any length are masked, an empty one is nothing', () => {
  expect(masked('abcabc', 'a')).toBe('••••bc••••bc')
  expect(masked('7 of 77', '7')).toBe('•••• of ••••')
  expect(masked('abc', '')).toBe('abc')
  expect(masked('xyz', '•')).toBe('xyz')
})

test('of values that lie within each other the longest counts, in whatever order they are told', () => {
  for (const secrets of [
    ['tok', 'token'],
    ['token', 'tok'],
    ['oken', 'token', 'to'],
  ])
    expect(maskText('a token, a tok', secrets).replaceAll('•', '')).toBe(
      secrets.includes('tok') ? 'a , a ' : 'a , a k',
    )
})

describe('at an end', () => {
  const masked = (text: string, secrets: string[], cut: boolean) =>
    Buffer.from(maskBytes(Buffer.from(text), secrets, cut)).toString()

  test('that was cut off a beginning of a value is masked, at a true one it stays', () => {
    expect(masked('a line\ntok_0123', [TOKEN], true)).toBe('a line\n••••')
    expect(masked('a line\ntok_0123', [TOKEN], false)).toBe('a line\ntok_0123')
  })

  test('a shorter value does not hide that a longer one has begun', () => {
    expect(masked('a token b', ['tok', 'token'], false)).toBe('a •••• b')
    expect(masked('a tok', ['tok', 'token'], true)).toBe('a ••••')
  })
})
