import type { Socket } from 'node:net'
import { Client, type Dispatcher } from 'undici'

/** Largest header block of a response; undici destroys the socket at the first byte over it. */
const MOST_HEADER_BYTES = 16 * 1024

/**
 * How long an unused connection is kept: shorter than the 5 s after which Node's own servers hang up, since a request
 * that meets the server's FIN is lost (and a POST cannot be sent again, it may have been received). A server's hint
 * (`Keep-Alive: timeout=n`) shortens it to n − 2 s.
 */
const KEEP_ALIVE_MS = 4000

/** Who opens the socket of a connection when undici asks for one. */
export interface Opener {
  open(done: (error: Error | null, socket: Socket | null) => void): void
}

export interface ConnectionEvents {
  /** An unused connection was closed by either side. */
  closedWhileUnused(connection: Connection): void
}

/** One connection to one origin for one scope, used by one call at a time. Undici speaks HTTP/1.1 on it. */
export class Connection {
  /** Scope and origin that it may be used for. */
  readonly key: string
  /** The address that it is connected to, once it is. */
  address = ''
  readonly #client: Client
  /** The call that has it; null while it is unused. */
  #user: Opener | null = null

  constructor(key: string, origin: string, events: ConnectionEvents) {
    this.key = key
    this.#client = new Client(origin, {
      allowH2: false,
      pipelining: 1,
      keepAliveTimeout: KEEP_ALIVE_MS,
      keepAliveMaxTimeout: KEEP_ALIVE_MS,
      maxHeaderSize: MOST_HEADER_BYTES,
      // These restart at every byte and so bound nothing; the call's own deadline does.
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: (_options, done) => {
        if (this.#user === null) return done(new Error('An unused connection is not opened again.'), null)
        this.#user.open((error, socket) =>
          socket === null ? done(error ?? new Error('There is no socket.'), null) : done(null, socket),
        )
      },
    })
    this.#client.on('disconnect', () => {
      // While it is used undici reports the end to the call, or asks the call for another socket.
      if (this.#user === null) events.closedWhileUnused(this)
    })
  }

  /** Sends a request; `user` has the connection until `release` or `destroy`. */
  send(request: Dispatcher.DispatchOptions, user: Opener & Dispatcher.DispatchHandler): void {
    this.#user = user
    this.#client.dispatch(request, user)
  }

  release(): void {
    this.#user = null
  }

  /** Closes the socket at once; one that is still being opened is for its opener to give up. */
  destroy(): Promise<void> {
    return this.#client.destroy()
  }
}
