import { createSecureContext, type SecureContext } from 'node:tls'
import type { Cidr, HttpAllowance } from '@workly/core'
import { AddressGuard } from './address-guard.ts'
import type { CallResult, HttpCall } from './call.ts'
import type { Connection } from './connection.ts'
import { Exchange, type ExchangeContext } from './exchange.ts'
import { CANCELLED_MESSAGE, refusedHeaderMessage, refusedUrlMessage } from './failure-message.ts'
import { IdleConnections } from './idle-connections.ts'
import { requestHeaders } from './request-headers.ts'
import type { Resolver } from './resolver.ts'
import { SystemResolver } from './system-resolver.ts'
import { targetOf } from './target.ts'

export interface HttpCallerOptions {
  /** Blocks outside the public internet that may be called (`WORKLY_ALLOWED_PRIVATE_TARGETS`). */
  allowedPrivate: readonly Cidr[]
  /** Whether plain http is called too, or only to loopback. */
  allowHttp: HttpAllowance
  /** Sent where a call has no `User-Agent` of its own: `Workly/<version>`. */
  userAgent: string
  /** Default: the machine's DNS, and its hosts file if private networks are opened. */
  resolver?: Resolver
  /** Unused connections kept open in all; default 256. */
  maxIdle?: number
  /** Unused connections kept open per scope and origin; default 64. */
  maxIdlePerOrigin?: number
  /** Certificate authorities in place of the public ones, in PEM. For tests. */
  ca?: string | readonly string[]
}

export interface HttpCallerStats {
  /** Calls on their way. */
  inFlight: number
  /** Open connections that no call uses. */
  idle: number
  /** Scopes and origins that those belong to. */
  idleOrigins: number
}

/**
 * Calls targets over HTTP/1.1 behind the network guard (spec section 7). Connections are kept for a few seconds and used
 * again within one scope and origin only; calls never wait for one another. How many run at once is bounded elsewhere.
 */
export class HttpCaller {
  readonly #context: ExchangeContext
  readonly #idle: IdleConnections
  readonly #options: HttpCallerOptions
  readonly #inFlight = new Set<Exchange>()
  #closed = false

  constructor(options: HttpCallerOptions) {
    this.#options = options
    this.#idle = new IdleConnections({
      maxIdle: options.maxIdle ?? 256,
      maxIdlePerOrigin: options.maxIdlePerOrigin ?? 64,
    })
    this.#context = {
      guard: new AddressGuard(options.allowedPrivate),
      resolver: options.resolver ?? systemResolver(options),
      secureContext: secureContext(options),
      idle: this.#idle,
      closedWhileUnused: (connection: Connection) => {
        this.#idle.forget(connection)
        connection.destroy()
      },
    }
  }

  /**
   * Makes one call. Resolves whatever the target does, within `timeoutMs`; never rejects.
   * @param nowMs milliseconds since the epoch; only `Retry-After` dates are measured against it
   */
  call(call: HttpCall, nowMs: number): Promise<CallResult> {
    if (this.#closed) return Promise.resolve(notMade('cancelled', CANCELLED_MESSAGE))
    const target = targetOf(call.url, this.#options.allowHttp)
    if (typeof target === 'string') return Promise.resolve(notMade('blocked', refusedUrlMessage(target)))
    const headers = requestHeaders(call.headers, this.#options.userAgent)
    if (typeof headers === 'string') {
      return Promise.resolve(notMade('blocked', refusedHeaderMessage(headers)))
    }
    return new Promise(resolve => {
      const exchange = new Exchange(call, target, headers, nowMs, this.#context, result => {
        this.#inFlight.delete(exchange)
        resolve(result)
      })
      this.#inFlight.add(exchange)
      exchange.start()
    })
  }

  stats(): HttpCallerStats {
    return { inFlight: this.#inFlight.size, idle: this.#idle.count, idleOrigins: this.#idle.origins }
  }

  /** Cancels the calls on their way and closes every connection; later calls are cancelled before they start. */
  async close(): Promise<void> {
    this.#closed = true
    for (const exchange of this.#inFlight) exchange.cancel()
    await this.#idle.close()
  }
}

/** Names of the hosts file are the operator's own and lead to private addresses, so they only count where those are open. */
function systemResolver({ allowedPrivate }: HttpCallerOptions): Resolver {
  return new SystemResolver({ hostsFile: allowedPrivate.length > 0 ? '/etc/hosts' : null })
}

/** Made once: it holds the certificate authorities, and making one takes milliseconds. */
function secureContext({ ca }: HttpCallerOptions): SecureContext {
  return createSecureContext(ca === undefined ? {} : { ca: typeof ca === 'string' ? ca : [...ca] })
}

function notMade(cls: 'blocked' | 'cancelled', message: string): CallResult {
  return {
    class: cls,
    status: null,
    headers: null,
    body: new Uint8Array(0),
    bodyTruncated: false,
    timings: { dns: null, connect: null, tls: null, firstByte: null, total: 0 },
    message,
    retryAfterMs: null,
    location: null,
  }
}
