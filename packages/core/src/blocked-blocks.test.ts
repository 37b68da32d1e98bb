import ipaddr from 'ipaddr.js'
import { describe, expect, it } from 'vitest'
import { isPublicAddress } from './address.ts'
import { type PublicBlocks, publicBlocks } from './blocked-blocks.ts'

function holds(block: string, address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  return address.match(ipaddr.parseCIDR(block))
}

function letsThrough(blocks: PublicBlocks, address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  return holds(blocks.within, address) && !blocks.except.some(block => holds(block, address))
}

function toNumber(address: ipaddr.IPv4 | ipaddr.IPv6): bigint {
  return address.toByteArray().reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n)
}

function toAddress(value: bigint, width: number): ipaddr.IPv4 | ipaddr.IPv6 {
  const bytes = Array.from({ length: width / 8 }, (_, i) =>
    Number((value >> BigInt(width - 8 - i * 8)) & 255n),
  )
  return ipaddr.fromByteArray(bytes)
}

/** The addresses at both edges of a block, inside and outside. */
function edges(block: string): (ipaddr.IPv4 | ipaddr.IPv6)[] {
  const [first, prefix] = ipaddr.parseCIDR(block)
  const width = first.kind() === 'ipv4' ? 32 : 128
  const start = toNumber(first)
  const end = start + (1n << BigInt(width - prefix)) - 1n
  const limit = (1n << BigInt(width)) - 1n
  return [start - 1n, start, (start + end) / 2n, end, end + 1n]
    .filter(value => value >= 0n && value <= limit)
    .map(value => toAddress(value, width))
}

describe('publicBlocks', () => {
  const { ipv4, ipv6 } = publicBlocks()

  it.each([ipv4, ipv6])('agrees with isPublicAddress at every edge of every block of $within', blocks => {
    const addresses = [blocks.within, ...blocks.except].flatMap(edges)
    expect(addresses.length).toBeGreaterThan(25)
    for (const address of addresses) {
      expect([address.toString(), letsThrough(blocks, address)]).toEqual([
        address.toString(),
        isPublicAddress(address.toString()),
      ])
    }
  })

  it('agrees with isPublicAddress on addresses all over IPv4', () => {
    for (let value = 0n; value < 1n << 32n; value += 4_000_037n) {
      const address = toAddress(value, 32)
      if (letsThrough(ipv4, address) !== isPublicAddress(address.toString())) {
        expect.fail(`${address} is judged in two ways`)
      }
    }
  })

  it('has no block inside another, as a NetworkPolicy would be refused for one outside its own', () => {
    for (const { within, except } of [ipv4, ipv6]) {
      for (const block of except) {
        const [first] = ipaddr.parseCIDR(block)
        expect(holds(within, first)).toBe(true)
        expect(except.filter(other => holds(other, first))).toEqual([block])
      }
    }
  })
})
