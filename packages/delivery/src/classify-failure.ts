import type { AttemptClass } from '@workly/core'
import { ConnectFailure, errorCode } from './connect-failure.ts'

/** Class of an error that undici reports for a request (or that connecting ended with), with its code. */
export interface ClassifiedFailure {
  class: Extract<
    AttemptClass,
    'blocked' | 'dns' | 'connect' | 'tls' | 'reset' | 'protocol' | 'response_too_large'
  >
  code: string | null
}

/** Errors of a connection that stood: the peer (or the way to it) is gone. */
const RESET_CODES = new Set([
  'ECONNRESET',
  'EPIPE',
  'ECONNABORTED',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
])

/** What undici says in words alone, under the code `UND_ERR_SOCKET`, of answers that HTTP does not allow. */
const PROTOCOL_WORDS = new Set(['bad response', 'bad upgrade'])

export function classifyFailure(error: Error): ClassifiedFailure {
  if (error instanceof ConnectFailure) return { class: error.class, code: error.code }
  const code = errorCode(error)
  return { class: classOf(error, code), code }
}

function classOf(error: Error, code: string | null): ClassifiedFailure['class'] {
  if (code === null) return 'protocol'
  // Undici would not put the request on the wire as it is.
  if (code === 'UND_ERR_INVALID_ARG' || code === 'UND_ERR_NOT_SUPPORTED') return 'blocked'
  if (code === 'UND_ERR_HEADERS_OVERFLOW' || code === 'HPE_HEADER_OVERFLOW') return 'response_too_large'
  if (code === 'UND_ERR_SOCKET') return PROTOCOL_WORDS.has(error.message) ? 'protocol' : 'reset'
  // A server that wants a client certificate says so under TLS 1.3 only after the handshake.
  if (code.startsWith('ERR_SSL_') || code.startsWith('ERR_TLS_') || code === 'EPROTO') return 'tls'
  if (RESET_CODES.has(code)) return 'reset'
  // What is left is the parser's (HPE_…, a length that does not match) or an assertion on what the target sent.
  return 'protocol'
}
