import { describe, expect, it, test } from 'vitest'
import { callerKey, clientAddress, readTrustedProxies } from './client-address.ts'

const nearby = readTrustedProxies(undefined)

describe('the address of a caller', () => {
  test.each([
    ['203.0.113.7', undefined, '203.0.113.7'],
    // A stranger on the internet is who it is, whatever it writes.
    ['203.0.113.7', '198.51.100.1', '203.0.113.7'],
    ['203.0.113.7', '127.0.0.1', '203.0.113.7'],
    ['10.0.0.5', '198.51.100.1', '198.51.100.1'],
    ['::ffff:10.0.0.5', '198.51.100.1', '198.51.100.1'],
    ['::1', '2001:db8::7', '2001:db8::7'],
    // Only what trusted proxies have added is read, from the end.
    ['10.0.0.5', '1.2.3.4, 198.51.100.1', '198.51.100.1'],
    ['10.0.0.5', '1.2.3.4, 198.51.100.1, 10.9.9.9', '198.51.100.1'],
    ['10.0.0.5', '10.1.1.1', '10.1.1.1'],
    ['10.0.0.5', 'unknown', '10.0.0.5'],
    ['10.0.0.5', '198.51.100.1, \u0000', '10.0.0.5'],
    ['10.0.0.5', '198.51.100.1:52111', '198.51.100.1'],
    ['10.0.0.5', '[2001:DB8::7]:52111', '2001:db8::7'],
    ['10.0.0.5', '', '10.0.0.5'],
    [undefined, '198.51.100.1', ''],
  ])('of %s saying %s is %s', (peer, forwarded, expected) => {
    expect(clientAddress(peer, forwarded, nearby)).toBe(expected)
  })

  it('is believed from those proxies alone that the operator names', () => {
    const named = readTrustedProxies('192.0.2.0/24')
    expect(clientAddress('192.0.2.9', '198.51.100.1', named)).toBe('198.51.100.1')
    expect(clientAddress('10.0.0.5', '198.51.100.1', named)).toBe('10.0.0.5')
    expect(clientAddress('10.0.0.5', '198.51.100.1', readTrustedProxies(''))).toBe('10.0.0.5')
    expect(() => readTrustedProxies('10.0.0.1/8')).toThrow('10.0.0.0/8')
  })
})

test.each([
  ['198.51.100.1', '198.51.100.1'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:0db8:0001:0002::9', '2001:db8:1:2::/64'],
  ['2001:db8::9', '2001:db8:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['', ''],
])('%s counts as %s', (address, key) => {
  expect(callerKey(address)).toBe(key)
})
