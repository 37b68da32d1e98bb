import { callerKey, clientAddress, type TrustedProxies } from '@workly/services'
import type { ApiContext } from './api-env.ts'

/** What counts as one address of callers: behind proxies that are trusted, what they say. */
export function callerAddress(c: ApiContext, isTrusted: TrustedProxies): string {
  const peer = c.env?.incoming?.socket.remoteAddress
  return callerKey(clientAddress(peer, c.req.header('x-forwarded-for'), isTrusted))
}
