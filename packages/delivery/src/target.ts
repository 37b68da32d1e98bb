import { type HttpAllowance, isLocalhostName, literalAddress, parseTargetUrl } from '@workly/core'

/** A call's URL taken apart. */
export interface Target {
  /** As undici wants it: scheme, host and port. */
  origin: string
  path: string
  /** Without brackets and trailing dot: for DNS, the certificate and messages. */
  host: string
  port: number
  secure: boolean
  /** The host is an address itself. */
  literal: boolean
  /** Known without asking DNS: a literal's, and those of localhost (RFC 6761 section 6.3). */
  addresses: readonly string[] | null
}

const LOOPBACK = ['127.0.0.1', '::1']

/** @returns the target, or why its URL is not called */
export function targetOf(url: string, allowHttp: HttpAllowance): Target | string {
  const parsed = parseTargetUrl(url, { allowHttp })
  if (!parsed.ok) return parsed.message
  const { origin, hostname, port, protocol, pathname, search } = parsed.url
  const literal = literalAddress(hostname)
  const secure = protocol === 'https:'
  return {
    origin,
    path: pathname + search,
    host: literal ?? (hostname.endsWith('.') ? hostname.slice(0, -1) : hostname),
    port: port === '' ? (secure ? 443 : 80) : Number(port),
    secure,
    literal: literal !== null,
    addresses: literal !== null ? [literal] : isLocalhostName(hostname) ? LOOPBACK : null,
  }
}
