import type { AttemptClass } from '@workly/core'
import { bodyMessage } from './body-message.ts'
import { ConnectFailure } from './connect-failure.ts'
import {
  blockedMessage,
  CANCELLED_MESSAGE,
  type CallStage,
  connectMessage,
  dnsMessage,
  protocolMessage,
  resetMessage,
  responseTooLargeMessage,
  statusMessage,
  timeoutMessage,
  tlsMessage,
  unsendableMessage,
} from './failure-message.ts'
import type { Target } from './target.ts'

/** A failed call, as far as its message depends on it. */
export interface FailedCall {
  class: AttemptClass
  code: string | null
  error: Error | null
  target: Target
  timeoutMs: number
  stage: CallStage
  status: number | null
  location: string | null
  body: Uint8Array
}

/** The message of a failed call: the target's own where its JSON body has one (spec section 5), else ours. */
export function describeFailure(failed: FailedCall): string {
  const { code, target, stage } = failed
  const { host, port } = target
  switch (failed.class) {
    case 'blocked':
      return failed.error instanceof ConnectFailure
        ? blockedMessage(host, target.literal)
        : unsendableMessage(failed.error?.message ?? 'unknown error')
    case 'dns':
      return dnsMessage(host, code)
    case 'connect':
      return connectMessage(host, port, code)
    case 'tls':
      return tlsMessage(host, code, failed.error instanceof ConnectFailure ? failed.error.certificate : null)
    case 'timeout':
      return timeoutMessage(host, failed.timeoutMs, stage)
    case 'reset':
      return resetMessage(host, stage)
    case 'response_too_large':
      return responseTooLargeMessage(host)
    case 'cancelled':
      return CANCELLED_MESSAGE
    case 'http_status':
      return describeStatus(failed)
    default:
      return protocolMessage(host, code)
  }
}

function describeStatus({ status, location, body }: FailedCall): string {
  // A redirect says where it pointed, whatever its body says (spec section 3).
  const own = statusMessage(status ?? 0, location)
  return location === null ? (bodyMessage(body) ?? own) : own
}
