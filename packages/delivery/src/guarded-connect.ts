import { isIP, type Socket } from 'node:net'
import { performance } from 'node:perf_hooks'
import { type SecureContext, type TLSSocket, connect as tlsConnect } from 'node:tls'
import type { AddressGuard } from './address-guard.ts'
import { ConnectFailure, errorCode, type ShownCertificate } from './connect-failure.ts'
import { raceConnect } from './race-connect.ts'

/** What to connect to: a name (or literal) with all the addresses it has. */
export interface Destination {
  /** Without brackets and trailing dot. The certificate must be for it. */
  host: string
  port: number
  secure: boolean
  addresses: readonly string[]
}

export interface ConnectRules {
  guard: AddressGuard
  /** The certificate authorities that are trusted. */
  secureContext: SecureContext
}

export interface Connected {
  socket: Socket
  /** The one of the destination's addresses that the socket is connected to. */
  address: string
}

type Done = (failure: ConnectFailure | null, connected: Connected | null) => void

/**
 * One connection to a destination, made behind the network guard (spec section 7): every address is judged before any
 * is connected to, sockets are given addresses and never names (so nothing is looked up a second time), and the peer's
 * address is judged again once connected. TLS is always verified, for the destination's host, whatever the environment
 * and the request's headers say.
 */
export class GuardedConnect {
  /** Milliseconds until the TCP connection stood, and from then until TLS did; null as long as they do not. */
  connectMs: number | null = null
  tlsMs: number | null = null
  readonly #destination: Destination
  readonly #rules: ConnectRules
  #done: Done | null
  #giveUp: () => void = () => undefined

  /** @param done called once, unless the attempt is aborted before */
  constructor(destination: Destination, rules: ConnectRules, done: Done) {
    this.#destination = destination
    this.#rules = rules
    this.#done = done
    if (destination.addresses.length === 0) this.#fail(new ConnectFailure('dns', 'ENODATA'))
    else if (rules.guard.allowsAll(destination.addresses)) this.#connect()
    else this.#fail(new ConnectFailure('blocked'))
  }

  /** Gives up; every socket opened for it is destroyed and `done` is not called any more. */
  abort(): void {
    this.#done = null
    this.#giveUp()
  }

  #connect(): void {
    const { addresses, port } = this.#destination
    const began = performance.now()
    this.#giveUp = raceConnect(addresses, port, (error, socket, address) => {
      if (socket === null) {
        this.#fail(new ConnectFailure('connect', errorCode(error)))
      } else {
        this.connectMs = performance.now() - began
        this.#onConnect(socket, address)
      }
    })
  }

  #onConnect(socket: Socket, address: string): void {
    this.#giveUp = () => socket.destroy()
    const peer = socket.remoteAddress
    if (peer === undefined) this.#fail(new ConnectFailure('connect', 'ECONNRESET'))
    else if (!this.#rules.guard.allows(peer)) this.#fail(new ConnectFailure('blocked'))
    else if (this.#destination.secure) this.#startTls(socket, address)
    else this.#succeed({ socket, address })
  }

  #startTls(plain: Socket, address: string): void {
    const { host } = this.#destination
    const began = performance.now()
    const socket = tlsConnect({
      socket: plain,
      // The name that the certificate is checked for; SNI carries it too, unless it is a literal (RFC 6066 section 3).
      host,
      ...(isIP(host) === 0 ? { servername: host } : {}),
      secureContext: this.#rules.secureContext,
      // Said aloud, because otherwise NODE_TLS_REJECT_UNAUTHORIZED=0 in the environment would be obeyed.
      rejectUnauthorized: true,
      ALPNProtocols: ['http/1.1'],
    })
    this.#giveUp = () => {
      socket.destroy()
      plain.destroy()
    }
    const seen = rememberCertificate(socket)
    socket.once('secureConnect', () => {
      this.tlsMs = performance.now() - began
      this.#succeed({ socket, address })
    })
    socket.on('error', error => this.#fail(new ConnectFailure('tls', errorCode(error), seen.certificate)))
    socket.once('close', () => this.#fail(new ConnectFailure('tls', 'ECONNRESET')))
  }

  #succeed(connected: Connected): void {
    const done = this.#done
    this.#done = null
    done?.(null, connected)
  }

  #fail(failure: ConnectFailure): void {
    const done = this.#done
    if (done === null) return
    this.abort()
    done(failure, null)
  }
}

/**
 * Takes down the certificate that the server shows before Node judges it: after a refusal the socket has none to tell
 * about any more. (`getPeerX509Certificate` would be cheaper, but once it was called Node finds no names to check.)
 */
function rememberCertificate(socket: TLSSocket): { certificate: ShownCertificate | null } {
  const seen: { certificate: ShownCertificate | null } = { certificate: null }
  socket.prependListener('secure', () => {
    const certificate = socket.getPeerCertificate()
    if ('valid_to' in certificate) seen.certificate = certificate
  })
  return seen
}
