import { BlockList, isIP } from 'node:net'
import { parseCidrs } from '@workly/core'

/** Where a proxy in front of a server is expected unless the operator says: this machine and private networks. */
const NEARBY = '127.0.0.0/8, ::1/128, 10.0.0.0/8, 172.16.0.0/12, 192.168.0.0/16, fc00::/7'

/** Whose word about the address of others is taken. */
export type TrustedProxies = (address: string) => boolean

/**
 * @param list `WORKLY_TRUSTED_PROXIES`: blocks of addresses, such as `10.0.0.0/8, fd00::/8`; undefined: those nearby
 * @throws Error that names a block that is none
 */
export function readTrustedProxies(list: string | undefined): TrustedProxies {
  const blocks = new BlockList()
  for (const { network, prefix } of parseCidrs(list ?? NEARBY)) {
    blocks.addSubnet(network.toString(), prefix, network.kind())
  }
  return address => {
    const version = isIP(address)
    return version !== 0 && blocks.check(address, version === 4 ? 'ipv4' : 'ipv6')
  }
}

/**
 * The address a request comes from. `X-Forwarded-For` is read from its end, as far as proxies that are trusted have
 * written it: what a stranger puts in front of it counts for nothing.
 * @param peer the other end of the connection
 */
export function clientAddress(
  peer: string | undefined,
  forwardedFor: string | undefined,
  isTrusted: TrustedProxies,
): string {
  let address = plain(peer ?? '')
  const said = (forwardedFor ?? '').split(',').map(part => plain(part.trim()))
  while (isTrusted(address)) {
    const before = said.pop()
    if (before === undefined || isIP(before) === 0) break
    address = before
  }
  return address
}

/** Without the brackets and port that some proxies write, and an IPv4 address as one. */
function plain(text: string): string {
  const bare = /^\[([^\]]*)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text
  return bare.replace(/^::ffff:(?=[\d.]+$)/i, '').toLowerCase()
}

/** What counts as one caller: an IPv4 address, or the /64 that a household or a machine has of IPv6. */
export function callerKey(address: string): string {
  if (isIP(address) !== 6) return address
  const [head = '', tail] = (address.split('%', 1)[0] ?? '').split('::')
  const before = head === '' ? [] : head.split(':')
  const after = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros =
    tail === undefined ? [] : Array<string>(Math.max(0, 8 - before.length - after.length)).fill('0')
  const groups = [...before, ...zeros, ...after].slice(0, 4)
  return `${groups.map(group => group.replace(/^0+(?=.)/, '')).join(':')}::/64`
}
