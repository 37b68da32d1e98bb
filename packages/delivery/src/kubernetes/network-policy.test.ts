import { BlockList, isIP } from 'node:net'
import type { V1NetworkPolicy } from '@kubernetes/client-node'
import { isPublicAddress, parseCidrs } from '@workly/core'
import { describe, expect, it } from 'vitest'
import { type Egress, networkPolicy } from './network-policy.ts'

const NOTHING: Egress = { allowedPrivate: [], dnsBlocks: [], callbackPeers: [] }

function listOf(cidrs: readonly string[]): BlockList {
  const list = new BlockList()
  for (const cidr of cidrs) {
    const [address = '', bits] = cidr.split('/')
    list.addSubnet(address, Number(bits), isIP(address) === 6 ? 'ipv6' : 'ipv4')
  }
  return list
}

/** What a network plugin would do with a packet to this address and port. */
function lets(policy: V1NetworkPolicy, address: string, port: number): boolean {
  const family = isIP(address) === 6 ? 'ipv6' : 'ipv4'
  return (policy.spec?.egress ?? []).some(({ to = [], ports }) => {
    if (ports !== undefined && !ports.some(rule => rule.port === port)) return false
    return to.some(({ ipBlock }) => {
      if (ipBlock === undefined || !listOf([ipBlock.cidr]).check(address, family)) return false
      return !listOf(ipBlock.except ?? []).check(address, family)
    })
  })
}

function policy(egress: Partial<Egress> = {}, addresses: string[] = []): V1NetworkPolicy {
  return networkPolicy('ns', {}, { ...NOTHING, ...egress }, { addresses, port: 8443 })
}

const ADDRESSES = [
  '93.184.215.14',
  '10.0.0.1',
  '127.0.0.1',
  '169.254.169.254',
  '168.63.129.16',
  '100.64.0.1',
  '192.168.1.1',
  '224.0.0.1',
  '2606:2800:21f:cb07::1',
  '::1',
  'fd00::1',
  'fe80::1',
  '64:ff9b::a00:1',
  '2002:a00:1::',
  '::ffff:10.0.0.1',
]

describe('the network policy of an organization', () => {
  it.each(ADDRESSES)('lets a call to %s through just when the guard would', address => {
    expect(lets(policy(), address, 443)).toBe(isPublicAddress(address))
  })

  it('lets nobody in', () => {
    expect(policy().spec).toMatchObject({ podSelector: {}, policyTypes: ['Ingress', 'Egress'], ingress: [] })
  })

  it("opens the callback's address at its port only, and the operator's blocks", () => {
    const opened = policy({ allowedPrivate: parseCidrs('10.1.0.0/16 192.168.7.7') }, ['10.9.9.9', 'fd00::9'])
    expect(lets(opened, '10.9.9.9', 8443)).toBe(true)
    expect(lets(opened, 'fd00::9', 8443)).toBe(true)
    expect(lets(opened, '10.9.9.9', 443)).toBe(false)
    expect(lets(opened, '10.9.9.8', 8443)).toBe(false)
    expect(lets(opened, '10.1.2.3', 443)).toBe(true)
    expect(lets(opened, '192.168.7.7', 443)).toBe(true)
    expect(lets(opened, '192.168.7.8', 443)).toBe(false)
  })

  it('opens DNS at its own port, and the pods that take callbacks', () => {
    const peer = { podSelector: { matchLabels: { app: 'workly-api' } } }
    const opened = policy({ dnsBlocks: ['169.254.20.10/32'], callbackPeers: [peer] })
    expect(lets(opened, '169.254.20.10', 53)).toBe(true)
    expect(lets(opened, '169.254.20.10', 80)).toBe(false)
    const rules = opened.spec?.egress ?? []
    expect(rules.find(({ ports }) => ports?.some(({ port }) => port === 53))?.to?.[0]?.podSelector).toEqual({
      matchLabels: { 'k8s-app': 'kube-dns' },
    })
    expect(rules.at(-1)).toEqual({ to: [peer] })
  })
})
