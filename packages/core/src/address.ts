import ipaddr from 'ipaddr.js'

/** A block of addresses that an operator has opened, as written and parsed. */
export interface Cidr {
  readonly text: string
  readonly network: ipaddr.IPv4 | ipaddr.IPv6
  readonly prefix: number
}

/** The literal forms that sockets and resolvers use; ipaddr.js alone would also take `10`, `0x7f.1` and `010.0.0.1`. */
const FOUR_PARTS = /^(?:0|[1-9]\d{0,2})(?:\.(?:0|[1-9]\d{0,2})){3}$/

function parseAddress(text: string): ipaddr.IPv4 | ipaddr.IPv6 | null {
  if (FOUR_PARTS.test(text)) return ipaddr.IPv4.isValid(text) ? ipaddr.IPv4.parse(text) : null
  return text.includes(':') && ipaddr.IPv6.isValid(text) ? ipaddr.IPv6.parse(text) : null
}

function holds(cidr: Cidr, address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  // A zone (`fe80::1%eth0`) is no part of the address that a block speaks of.
  return cidr.network.kind() === address.kind() && address.match(cidr.network, cidr.prefix)
}

/** All of 3ffe::/16 was the 6bone, given back by RFC 3701; IANA has not handed it out again. */
export const SIX_BONE: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse('3ffe::'), 16]
/** RFC 4291 section 2.4 and IANA: global unicast is handed out from 2000::/3 only. */
export const GLOBAL_UNICAST: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse('2000::'), 3]
/** Azure's platform endpoint: a public-looking address that every Azure machine reaches its host at. */
export const AZURE_PLATFORM = '168.63.129.16'

/**
 * Whether Workly may open a connection to an address: a unicast address of the public internet, or one in a block
 * that the operator has opened (spec section 7).
 *
 * Embedded forms of IPv4 (mapped, 6to4, Teredo, NAT64, ISATAP) are refused whatever they embed, since no public service needs
 * to be reached through one. What is not an address in canonical notation is refused too.
 * @param ip as a resolver or `socket.remoteAddress` gives it; no brackets, no names
 * @param allowed blocks of `WORKLY_ALLOWED_PRIVATE_TARGETS`
 */
export function isPublicAddress(ip: string, allowed: readonly Cidr[] = []): boolean {
  const address = parseAddress(ip)
  if (address === null) return false
  for (const cidr of allowed) if (holds(cidr, address)) return true
  if (address.range() !== 'unicast') return false
  if (address instanceof ipaddr.IPv4) return ip !== AZURE_PLATFORM
  return address.match(GLOBAL_UNICAST) && !address.match(SIX_BONE) && !isIsatap(address)
}

/** RFC 5214 section 6.1: an interface identifier of 0000:5efe or 0200:5efe carries an IPv4 address, public or not. */
function isIsatap({ parts }: ipaddr.IPv6): boolean {
  return (parts[4] === 0 || parts[4] === 0x0200) && parts[5] === 0x5efe
}

/**
 * The blocks of a list such as `10.0.0.0/8, fd00::/8` (separated by commas or blanks; a bare address is a block of one).
 * @throws Error that names the entry and what is allowed
 */
export function parseCidrs(list: string): Cidr[] {
  return list
    .split(/[\s,]+/)
    .filter(entry => entry !== '')
    .map(parseCidr)
}

function parseCidr(text: string): Cidr {
  const [base = '', bits, ...rest] = text.split('/')
  const network = parseAddress(base)
  const width = network?.kind() === 'ipv4' ? 32 : 128
  const prefix = bits === undefined ? width : /^\d{1,3}$/.test(bits) ? Number(bits) : -1
  if (network === null || rest.length > 0 || prefix < 0 || prefix > width) {
    throw new Error(`"${text}" is no block of addresses; write one such as 10.0.0.0/8 or fd00::/8.`)
  }
  const first =
    network instanceof ipaddr.IPv4
      ? ipaddr.IPv4.networkAddressFromCIDR(`${base}/${prefix}`).toString()
      : ipaddr.IPv6.networkAddressFromCIDR(`${base}/${prefix}`).toString()
  if (first !== network.toString()) {
    throw new Error(`"${text}" names an address inside the block; the block itself is ${first}/${prefix}.`)
  }
  return { text, network, prefix }
}

/**
 * The address that a URL's host is, if it is a literal: `127.0.0.1`, `[::1]` without its brackets; null for a name.
 * @param host `URL.hostname` or `URL.host` without a port, which WHATWG has normalised from any notation
 */
export function literalAddress(host: string): string | null {
  if (host.startsWith('[') && host.endsWith(']')) return host.slice(1, -1)
  return FOUR_PARTS.test(host) ? host : null
}

/** `localhost` and every name below it are loopback and never asked of DNS (RFC 6761 section 6.3). */
export function isLocalhostName(host: string): boolean {
  return /^(?:.+\.)?localhost\.?$/i.test(host)
}

/**
 * Whether attempts to this host are sure to be blocked: a literal outside the public internet, or a localhost name.
 * It is what the warning `blocked_target` is given for at write; other names are judged when they are resolved.
 */
export function isBlockedHost(host: string, allowed: readonly Cidr[] = []): boolean {
  if (isLocalhostName(host)) return !isPublicAddress('127.0.0.1', allowed) && !isPublicAddress('::1', allowed)
  const literal = literalAddress(host)
  return literal !== null && !isPublicAddress(literal, allowed)
}
