import type { Socket } from 'node:net'
import { performance } from 'node:perf_hooks'
import type { AttemptClass } from '@workly/core'
import type { Dispatcher } from 'undici'
import type { CallResult, CallTimings, HttpCall } from './call.ts'
import { classifyFailure } from './classify-failure.ts'
import { ConnectFailure, errorCode } from './connect-failure.ts'
import { Connection, type ConnectionEvents, type Opener } from './connection.ts'
import { describeFailure } from './describe-failure.ts'
import type { CallStage } from './failure-message.ts'
import { type ConnectRules, GuardedConnect } from './guarded-connect.ts'
import type { IdleConnections } from './idle-connections.ts'
import type { Resolver } from './resolver.ts'
import { BODY_KEPT, ResponseRecord } from './response-record.ts'
import { retryAfterMs } from './retry-after.ts'
import type { Target } from './target.ts'

/** What the calls of one caller share. */
export interface ExchangeContext extends ConnectRules, ConnectionEvents {
  resolver: Resolver
  idle: IdleConnections
}

/** A socket that dies unused is replaced once within the same call; a target that only hangs up gets no third. */
const MOST_SOCKETS = 2

const tenths = (ms: number) => Math.round(ms * 10) / 10
const tenthsOrNull = (ms: number | null | undefined) => (ms === null || ms === undefined ? null : tenths(ms))

type Handler = Dispatcher.DispatchHandler
type StartedResponse = Parameters<NonNullable<Handler['onResponseStart']>>

/**
 * One call on its way: looks the name up, takes or opens a connection, sends, reads, and settles once: by the end of the
 * response, a failure, the deadline, or a cancel. Its deadline is its own, since undici's stand still while it connects
 * and start again at every byte.
 */
export class Exchange implements Opener, Handler {
  readonly #call: HttpCall
  readonly #target: Target
  readonly #headers: string[]
  readonly #nowMs: number
  readonly #context: ExchangeContext
  readonly #response: ResponseRecord
  readonly #began = performance.now()
  #settle: ((result: CallResult) => void) | null
  #timer: NodeJS.Timeout | undefined
  #lookUp: AbortController | null = null
  #addresses: readonly string[] = []
  #connection: Connection | null = null
  #connect: GuardedConnect | null = null
  #sockets = 0
  #stage: CallStage = 'dns'
  #dnsMs: number | null = null
  #firstByteMs: number | null = null

  constructor(
    call: HttpCall,
    target: Target,
    headers: string[],
    nowMs: number,
    context: ExchangeContext,
    settle: (result: CallResult) => void,
  ) {
    this.#call = call
    this.#target = target
    this.#headers = headers
    this.#nowMs = nowMs
    this.#context = context
    this.#response = new ResponseRecord(call.keepBodyBytes ?? BODY_KEPT)
    this.#settle = settle
  }

  start(): void {
    const { signal, timeoutMs } = this.#call
    if (signal?.aborted) {
      this.cancel()
      return
    }
    signal?.addEventListener('abort', this.#onAbort)
    this.#timer = setTimeout(() => this.#end('timeout', null, null), timeoutMs)
    if (this.#target.addresses === null) this.#resolve()
    else this.#send(this.#target.addresses)
  }

  cancel(): void {
    this.#end('cancelled', null, null)
  }

  readonly #onAbort = () => this.cancel()

  #resolve(): void {
    this.#lookUp = new AbortController()
    this.#context.resolver.resolve(this.#target.host, this.#lookUp.signal).then(
      addresses => {
        this.#lookUp = null
        this.#dnsMs = performance.now() - this.#began
        this.#send(addresses)
      },
      error => this.onResponseError(null, new ConnectFailure('dns', errorCode(error))),
    )
  }

  #send(addresses: readonly string[]): void {
    if (this.#settle === null) return
    this.#addresses = this.#callable(addresses)
    if (this.#context.guard.allowsAll(this.#addresses)) this.#sendOn(this.#openConnection())
    else this.onResponseError(null, new ConnectFailure('blocked'))
  }

  #openConnection(): Connection {
    const { origin } = this.#target
    const key = `${this.#call.scope} ${origin}`
    return this.#context.idle.take(key, this.#addresses) ?? new Connection(key, origin, this.#context)
  }

  #sendOn(connection: Connection): void {
    this.#connection = connection
    this.#stage = 'response'
    const { method, body } = this.#call
    connection.send({ path: this.#target.path, method, body, headers: this.#headers }, this)
  }

  /** Of localhost's two addresses, which we know and nobody sent us, those that the operator opened. */
  #callable(addresses: readonly string[]): readonly string[] {
    if (this.#target.literal || this.#target.addresses === null) return addresses
    const open = addresses.filter(address => this.#context.guard.allows(address))
    return open.length > 0 ? open : addresses
  }

  open(done: (error: Error | null, socket: Socket | null) => void): void {
    if (++this.#sockets > MOST_SOCKETS) {
      done(new ConnectFailure('reset'), null)
      return
    }
    this.#stage = 'connect'
    const { host, port, secure } = this.#target
    const destination = { host, port, secure, addresses: this.#addresses }
    this.#connect = new GuardedConnect(destination, this.#context, (failure, connected) => {
      if (connected !== null) {
        this.#stage = 'response'
        if (this.#connection !== null) this.#connection.address = connected.address
      }
      done(failure, connected?.socket ?? null)
    })
  }

  onRequestStart(): void {}

  onResponseStarted(): void {
    this.#firstByteMs ??= performance.now() - this.#began
  }

  onResponseStart(_controller: StartedResponse[0], status: number, headers: StartedResponse[2]): void {
    // 1xx are told here too, any number of them.
    if (status < 200) return
    this.#stage = 'body'
    this.#response.start(status, headers)
  }

  onResponseData(_controller: StartedResponse[0], chunk: Buffer): void {
    if (this.#settle !== null && !this.#response.add(chunk)) this.#endByStatus(false)
  }

  onResponseEnd(): void {
    this.#endByStatus(true)
  }

  onResponseError(_controller: StartedResponse[0] | null, error: Error): void {
    const { class: cls, code } = classifyFailure(error)
    this.#end(cls, code, error)
  }

  #endByStatus(reuse: boolean): void {
    const { status } = this.#response
    this.#end(status !== null && status >= 200 && status < 300 ? 'ok' : 'http_status', null, null, reuse)
  }

  #end(cls: 'ok' | AttemptClass, code: string | null, error: Error | null, reuse = false): void {
    const settle = this.#settle
    if (settle === null) return
    this.#settle = null
    clearTimeout(this.#timer)
    this.#call.signal?.removeEventListener('abort', this.#onAbort)
    settle(this.#result(cls, code, error))
    this.#leaveConnection(reuse)
    this.#lookUp?.abort()
  }

  #leaveConnection(reuse: boolean): void {
    const connection = this.#connection
    if (connection === null) return
    if (reuse) {
      connection.release()
      this.#context.idle.give(connection)
    } else {
      this.#connect?.abort()
      connection.destroy()
    }
  }

  #result(cls: 'ok' | AttemptClass, code: string | null, error: Error | null): CallResult {
    const { status, headers, body, truncated } = this.#response
    const location = status !== null && status >= 300 && status < 400 ? (headers?.location ?? null) : null
    const timings = this.#timings()
    const asks = status === 429 || status === 503
    return {
      class: cls,
      status,
      headers,
      body,
      bodyTruncated: truncated,
      timings,
      message:
        cls === 'ok'
          ? null
          : describeFailure({
              class: cls,
              code,
              error,
              target: this.#target,
              timeoutMs: this.#call.timeoutMs,
              stage: this.#reached(),
              status,
              location,
              body,
            }),
      retryAfterMs: asks ? retryAfterMs(headers?.['retry-after'], this.#nowMs + timings.total) : null,
      location,
    }
  }

  #reached(): CallStage {
    return this.#stage === 'connect' && this.#connect !== null && this.#connect.connectMs !== null
      ? 'tls'
      : this.#stage
  }

  #timings(): CallTimings {
    return {
      dns: tenthsOrNull(this.#dnsMs),
      connect: tenthsOrNull(this.#connect?.connectMs),
      tls: tenthsOrNull(this.#connect?.tlsMs),
      firstByte: tenthsOrNull(this.#firstByteMs),
      total: tenths(performance.now() - this.#began),
    }
  }
}
