import { describe, expect, it } from 'vitest'
import { isBlockedHost, isLocalhostName, isPublicAddress, literalAddress, parseCidrs } from './address.ts'

describe('isPublicAddress', () => {
  it.each([
    '8.8.8.8',
    '172.15.255.255',
    '172.32.0.0',
    '100.63.255.255',
    '100.128.0.0',
    '2606:4700:4700::1111',
    '2001:4860:4860::8888',
    '2a00:1450:4001::1',
  ])('lets %s through, a unicast address of the public internet', ip => {
    expect(isPublicAddress(ip)).toBe(true)
  })

  it.each([
    ['0.0.0.0', 'this host'],
    ['0.1.2.3', 'this network'],
    ['10.0.0.1', 'RFC 1918'],
    ['100.64.0.1', 'carrier-grade NAT'],
    ['127.0.0.1', 'loopback'],
    ['127.255.255.254', 'loopback'],
    ['168.63.129.16', "Azure's platform endpoint"],
    ['169.254.169.254', 'link-local, cloud metadata'],
    ['172.16.0.1', 'RFC 1918'],
    ['172.31.255.255', 'RFC 1918'],
    ['192.0.0.1', 'IETF protocol assignments'],
    ['192.0.2.1', 'documentation'],
    ['192.88.99.1', '6to4 relay'],
    ['192.168.0.1', 'RFC 1918'],
    ['198.18.0.1', 'benchmarking'],
    ['203.0.113.1', 'documentation'],
    ['224.0.0.1', 'multicast'],
    ['240.0.0.1', 'reserved'],
    ['255.255.255.255', 'broadcast'],
    ['::', 'unspecified'],
    ['::1', 'loopback'],
    ['::8.8.8.8', 'IPv4-compatible, deprecated'],
    ['::ffff:127.0.0.1', 'mapped loopback'],
    ['::ffff:8.8.8.8', 'mapped, whatever it embeds'],
    ['64:ff9b::7f00:1', 'NAT64'],
    ['64:ff9b:1::1', 'local NAT64'],
    ['100::1', 'discard'],
    ['2001::1', 'Teredo'],
    ['2001:db8::1', 'documentation'],
    ['2002:7f00:1::', '6to4'],
    ['2001:470::5efe:7f00:1', 'ISATAP'],
    ['2600::200:5efe:10.0.0.1', 'ISATAP'],
    ['3ffe::1', '6bone, given back'],
    ['3fff::1', 'documentation'],
    ['4000::1', 'never handed out'],
    ['5f00::1', 'segment routing'],
    ['fc00::1', 'unique-local'],
    ['fd00:ec2::254', 'unique-local, cloud metadata'],
    ['fe80::1', 'link-local'],
    ['fe80::1%eth0', 'link-local with a zone'],
    ['fec0::1', 'site-local'],
    ['ff02::1', 'multicast'],
  ])('refuses %s: %s', ip => {
    expect(isPublicAddress(ip)).toBe(false)
  })

  it.each([
    '',
    'example.com',
    '8.8.8',
    '134744072',
    '0x8.8.8.8',
    '08.8.8.8',
    '8.8.8.8.',
    '256.8.8.8',
    '[2606::1]',
  ])('refuses %j, which is no address in canonical notation', ip => {
    expect(isPublicAddress(ip)).toBe(false)
  })

  it('lets through what the operator opened, and nothing beside it', () => {
    const allowed = parseCidrs('10.1.0.0/16, ::1')
    expect(isPublicAddress('10.1.255.255', allowed)).toBe(true)
    expect(isPublicAddress('10.2.0.0', allowed)).toBe(false)
    expect(isPublicAddress('::1', allowed)).toBe(true)
    expect(isPublicAddress('::2', allowed)).toBe(false)
    expect(isPublicAddress('::ffff:10.1.0.1', allowed)).toBe(false)
  })

  it('can open everything', () => {
    const allowed = parseCidrs('0.0.0.0/0 ::/0')
    expect(isPublicAddress('127.0.0.1', allowed)).toBe(true)
    expect(isPublicAddress('::1', allowed)).toBe(true)
  })
})

describe('parseCidrs', () => {
  it('reads blocks and bare addresses, separated by commas or blanks', () => {
    const blocks = parseCidrs(' 10.0.0.0/8,fd00::/8\n192.168.1.7 ::1 ')
    expect(blocks.map(block => [block.network.toString(), block.prefix])).toEqual([
      ['10.0.0.0', 8],
      ['fd00::', 8],
      ['192.168.1.7', 32],
      ['::1', 128],
    ])
  })

  it('reads an empty list as no blocks', () => {
    expect(parseCidrs('  ')).toEqual([])
  })

  it.each([
    '10',
    '10/8',
    '10.0.0.0/33',
    '10.0.0.0/',
    '10.0.0.0/8/8',
    '10.0.0.0/-1',
    'fd00::/129',
    'localhost',
    '*',
  ])('refuses %j and names it', entry => {
    expect(() => parseCidrs(`127.0.0.0/8 ${entry}`)).toThrow(`"${entry}" is no block of addresses`)
  })

  it('refuses an address inside a block and says which block it is', () => {
    expect(() => parseCidrs('10.1.2.3/8')).toThrow('the block itself is 10.0.0.0/8')
    expect(() => parseCidrs('fd00::1/8')).toThrow('the block itself is fd00::/8')
  })
})

describe('hosts of URLs', () => {
  it.each([
    ['https://0x7f.1/', '127.0.0.1'],
    ['https://2130706433/', '127.0.0.1'],
    ['https://[::1]:8443/', '::1'],
    ['https://１０.0.0.1/', '10.0.0.1'],
    ['https://127.0.0.1./', '127.0.0.1'],
    ['https://10.0.0.1.example/', null],
    ['https://example.com/', null],
  ])('finds the literal in %s', (url, literal) => {
    expect(literalAddress(new URL(url).hostname)).toBe(literal)
  })

  it('knows localhost and the names below it', () => {
    for (const name of ['localhost', 'LOCALHOST', 'app.localhost', 'localhost.']) {
      expect(isLocalhostName(name), name).toBe(true)
    }
    for (const name of ['localhost.example', 'notlocalhost', 'example.com']) {
      expect(isLocalhostName(name), name).toBe(false)
    }
  })

  it('tells at write which hosts will be blocked for sure', () => {
    expect(isBlockedHost('10.0.0.1')).toBe(true)
    expect(isBlockedHost('[fd00::1]')).toBe(true)
    expect(isBlockedHost('app.localhost')).toBe(true)
    expect(isBlockedHost('8.8.8.8')).toBe(false)
    expect(isBlockedHost('internal.example')).toBe(false)
    expect(isBlockedHost('localhost', parseCidrs('127.0.0.0/8'))).toBe(false)
    expect(isBlockedHost('10.0.0.1', parseCidrs('10.0.0.0/8'))).toBe(false)
  })
})
