import type { IncomingMessage } from 'node:http'
import { clientAddress, type TrustedProxies } from '@workly/services'

/** The header that tells the console's own code who calls. It is set on each request anew, whatever came under its name. */
export const CLIENT_HEADER = 'x-workly-client'

/** Writes who calls into the request, for the console's own code. */
export function markClient(request: IncomingMessage, isTrusted: TrustedProxies): void {
  const forwarded = request.headers['x-forwarded-for']
  const text = Array.isArray(forwarded) ? forwarded.join(',') : forwarded
  request.headers[CLIENT_HEADER] = clientAddress(request.socket.remoteAddress, text, isTrusted)
}
