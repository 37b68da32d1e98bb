import { literalAddress } from '@workly/core'

/** Where a call without a key acts, in the embedded default only: it listens on loopback alone (spec section 8). */
export interface DemoDoor {
  organizationId: string
  projectId: string
}

/** What the door looks at. */
export interface Caller {
  /** The other end of the connection; undefined when it is not known, which keeps the door shut. */
  peer: string | undefined
  url: URL
  headers: Headers
}

/**
 * Why a call without a key may not pass the door of the embedded default, or undefined when it may. It keeps out pages
 * of other sites (`Origin`, `Sec-Fetch-Site`), names that were pointed at this machine (`Host`), proxies that bring
 * calls of others (`Forwarded`, `X-Forwarded-*`, `Via`, and what some send in place of these), and Workly's own calls
 * (`Workly-*`).
 */
export function whyDoorIsShut({ peer, url, headers }: Caller): string | undefined {
  if (peer === undefined || !isLoopback(peer.replace(/^::ffff:/i, '')))
    return 'the call does not come from this machine'
  const host = headers.get('host')
  if (host === null || !isLoopbackName(host) || !isLoopbackName(url.host)) {
    return 'its Host is not localhost, 127.0.0.1 or [::1]'
  }
  const origin = headers.get('origin')
  if (origin !== null && origin !== `${url.protocol}//${host}`) return 'its Origin is another site'
  const site = headers.get('sec-fetch-site')
  if (site !== null && site !== 'same-origin' && site !== 'none') return 'its Sec-Fetch-Site is another site'
  for (const name of headers.keys()) {
    if (
      /^(?:forwarded$|x-forwarded-|x-real-ip$|(?:x-|true-)?client-ip$|cf-connecting-ip$|via$|workly-)/.test(
        name,
      )
    )
      return `it carries the header ${name}`
  }
  return undefined
}

function isLoopback(address: string): boolean {
  return address === '::1' || /^127(?:\.\d{1,3}){3}$/.test(address)
}

/** `localhost`, an address of 127.0.0.0/8 or `[::1]`, with or without a port. */
function isLoopbackName(host: string): boolean {
  const name = host.replace(/:\d{1,5}$/, '').toLowerCase()
  const literal = literalAddress(name)
  return name === 'localhost' || (literal !== null && isLoopback(literal))
}
