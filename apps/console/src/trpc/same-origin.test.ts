import { describe, expect, it } from 'vitest'
import { foreignRequest, foreignSender } from './same-origin.ts'

const HOST = 'localhost:7337'
const json = { 'content-type': 'application/json' }

function judge(method: string, headers: Record<string, string>): string | null {
  return foreignRequest(method, new Headers({ host: HOST, ...headers }), 'console.example.com')
}

describe('a call of the console’s procedures', () => {
  it('passes from the console’s own pages', () => {
    expect(
      judge('POST', { ...json, 'sec-fetch-site': 'same-origin', origin: 'http://localhost:7337' }),
    ).toBeNull()
    expect(judge('POST', { ...json, origin: 'http://localhost:7337' })).toBeNull()
    expect(judge('GET', { 'sec-fetch-site': 'same-origin' })).toBeNull()
    expect(judge('GET', {})).toBeNull()
  })

  it('passes where a proxy in front sends another host', () => {
    const headers = { ...json, host: 'console.internal:80', origin: 'https://console.example.com' }
    expect(judge('POST', headers)).toBeNull()
  })

  it.each([
    ['another site', { ...json, 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }],
    [
      'another port of this host',
      { ...json, 'sec-fetch-site': 'same-site', origin: 'http://localhost:8080' },
    ],
    ['another origin in an older browser', { ...json, origin: 'https://evil.example' }],
    ['an opaque origin', { ...json, origin: 'null' }],
    ['no origin at all', json],
    [
      'an origin that contradicts itself',
      { ...json, 'sec-fetch-site': 'same-origin', origin: 'https://evil.example' },
    ],
  ])('is refused from %s', (_, headers) => {
    expect(judge('POST', headers)).toContain('own pages')
  })

  it('is refused as a form or a file', () => {
    const own = { 'sec-fetch-site': 'same-origin', origin: 'http://localhost:7337' }
    for (const type of [
      'application/x-www-form-urlencoded',
      'multipart/form-data',
      'text/plain',
      'application/octet-stream',
    ]) {
      expect(judge('POST', { ...own, 'content-type': type })).toContain('JSON')
    }
    expect(judge('POST', own)).toContain('JSON')
  })

  it('is not read by another site either', () => {
    expect(judge('GET', { 'sec-fetch-site': 'cross-site' })).toContain('own pages')
  })
})

it('takes a sign-in as a form, from the console’s own pages alone', () => {
  const type = { host: HOST, 'content-type': 'application/x-www-form-urlencoded' }
  const judged = (headers: Record<string, string>) =>
    foreignSender('POST', new Headers({ ...type, ...headers }), null)
  expect(judged({ 'sec-fetch-site': 'same-origin', origin: `http://${HOST}` })).toBeNull()
  for (const headers of [
    {},
    { 'sec-fetch-site': 'cross-site' },
    { origin: 'https://evil.example' },
    { origin: 'null' },
  ]) {
    expect(judged(headers as Record<string, string>)).toContain('own pages')
  }
})
