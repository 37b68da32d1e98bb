import { isLocalhostName, literalAddress } from './address.ts'

/** Longest URL of a target, in characters. */
export const MAX_TARGET_URL_LENGTH = 2048

/**
 * Whether plain `http:` is taken: never (the default), for every host (`WORKLY_ALLOW_HTTP`), or for loopback literals
 * and localhost names only, as the embedded default does.
 */
export type HttpAllowance = boolean | 'loopback'

export type ParsedTargetUrl = { ok: true; url: URL } | { ok: false; message: string }

function refuse(message: string): ParsedTargetUrl {
  return { ok: false, message }
}

/** Whether a URL's host is the machine itself: a localhost name or a loopback literal. */
export function isLoopbackHost(hostname: string): boolean {
  if (isLocalhostName(hostname)) return true
  const literal = literalAddress(hostname)
  return literal !== null && (literal === '::1' || literal.startsWith('127.'))
}

/** Labels of at most 63 characters, names of at most 253 (RFC 1035 section 2.3.4); a trailing dot is fine. */
function isName(hostname: string): boolean {
  const name = hostname.endsWith('.') ? hostname.slice(0, -1) : hostname
  return name.length <= 253 && name.split('.').every(label => label.length > 0 && label.length <= 63)
}

/**
 * Reads the URL of a target (spec sections 3 and 7). The host comes out as WHATWG normalises it, so that a literal in
 * any notation (`0x7f.1`, `2130706433`, full-width digits) is the address it means; whether that address may be called
 * is for the guard, and not judged here.
 * @returns the URL, or what is wrong with it and what is allowed
 */
export function parseTargetUrl(text: string, options: { allowHttp: HttpAllowance }): ParsedTargetUrl {
  const scheme = options.allowHttp === false ? 'https://' : 'https:// or http://'
  if (text.length > MAX_TARGET_URL_LENGTH) {
    return refuse(`The URL has ${text.length} characters; at most ${MAX_TARGET_URL_LENGTH} are allowed.`)
  }
  // WHATWG would drop or rewrite these without a word, and the call would go elsewhere than it reads.
  if (/[\p{Cc}\s]/u.test(text)) {
    return refuse('The URL holds a blank or a control character; write a blank as %20.')
  }
  if (!/^https?:\/\//i.test(text)) return refuse(`The URL must begin with ${scheme}.`)
  const url = URL.canParse(text) ? new URL(text) : null
  if (url === null) return refuse('The URL is malformed; write it such as https://api.example.com/path.')
  if (url.username !== '' || url.password !== '') {
    return refuse('The URL may not hold credentials; send them in a header such as Authorization.')
  }
  if (literalAddress(url.hostname) === null && !isName(url.hostname)) {
    return refuse(`"${url.hostname}" is no host name; a label has 1 to 63 characters, a name at most 253.`)
  }
  if (url.port === '0') return refuse('Port 0 cannot be called; use 1 to 65535.')
  if (url.protocol === 'http:' && !httpAllowed(url, options.allowHttp)) {
    return refuse(
      options.allowHttp === 'loopback'
        ? 'Plain http is only taken for localhost; the URL must begin with https://.'
        : 'The URL must begin with https://; plain http is not called.',
    )
  }
  return { ok: true, url }
}

function httpAllowed(url: URL, allowance: HttpAllowance): boolean {
  return allowance === 'loopback' ? isLoopbackHost(url.hostname) : allowance
}
