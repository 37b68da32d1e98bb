import { describe, expect, it } from 'vitest'
import { type Caller, whyDoorIsShut } from './demo-door.ts'

function caller(headers: Record<string, string> = {}, changes: Partial<Caller> = {}): Caller {
  return {
    peer: '127.0.0.1',
    url: new URL('http://localhost:7337/v1/jobs'),
    headers: new Headers({ Host: 'localhost:7337', ...headers }),
    ...changes,
  }
}

describe('the door of the embedded default is open', () => {
  it.each(['127.0.0.1', '127.8.0.1', '::1', '::ffff:127.0.0.1', '::FFFF:127.0.0.1'])(
    'to the peer %s',
    peer => {
      expect(whyDoorIsShut(caller({}, { peer }))).toBeUndefined()
    },
  )

  it.each(['localhost', 'LOCALHOST:7337', '127.0.0.1:7337', '127.0.0.2', '[::1]:7337', '[::1]'])(
    'to the Host %s',
    Host => {
      expect(whyDoorIsShut(caller({ Host }))).toBeUndefined()
    },
  )

  it('to a page of its own origin', () => {
    const headers = { Origin: 'http://localhost:7337', 'Sec-Fetch-Site': 'same-origin' }
    expect(whyDoorIsShut(caller(headers))).toBeUndefined()
    expect(whyDoorIsShut(caller({ 'Sec-Fetch-Site': 'none' }))).toBeUndefined()
  })
})

describe('the door of the embedded default is shut', () => {
  it.each([
    undefined,
    '',
    '10.0.0.1',
    '192.168.1.5',
    '::',
    'fe80::1',
    '::ffff:10.0.0.1',
    '127.0.0.1.evil.example',
  ])('to the peer %s', peer => {
    expect(whyDoorIsShut(caller({}, { peer }))).toContain('from this machine')
  })

  it.each([
    'evil.example',
    'localhost.evil.example',
    'evil.localhost',
    'localhost.',
    '127.0.0.1.nip.io',
    '0.0.0.0',
    '[::]',
    '0x7f.1',
    '2130706433',
    'localhost, evil.example',
    'user@localhost',
    '10.0.0.1:7337',
  ])('to the Host %s', Host => {
    expect(whyDoorIsShut(caller({ Host }))).toContain('Host')
  })

  it('to a request without Host', () => {
    expect(whyDoorIsShut(caller({}, { headers: new Headers() }))).toContain('Host')
  })

  it('to an absolute address of another host', () => {
    expect(whyDoorIsShut(caller({}, { url: new URL('http://evil.example/v1/jobs') }))).toContain('Host')
  })

  it.each([
    'null',
    'https://evil.example',
    'https://localhost:7337',
    'http://localhost',
    'http://127.0.0.1:7337',
  ])('to the Origin %s', Origin => {
    expect(whyDoorIsShut(caller({ Origin }))).toContain('Origin')
  })

  it.each(['cross-site', 'same-site', 'Same-Origin', ''])('to the Sec-Fetch-Site %j', site => {
    expect(whyDoorIsShut(caller({ 'Sec-Fetch-Site': site }))).toContain('Sec-Fetch-Site')
  })

  it.each([
    'Forwarded',
    'X-Forwarded-For',
    'X-Forwarded-Proto',
    'x-forwarded-anything',
    'Via',
    'X-Real-IP',
    'X-Client-IP',
    'True-Client-IP',
    'CF-Connecting-IP',
    'Workly-Run-Id',
    'Workly-Schedule',
    'workly-anything',
  ])('to the header %s', name => {
    expect(whyDoorIsShut(caller({ [name]: '' }))).toContain(name.toLowerCase())
  })
})
