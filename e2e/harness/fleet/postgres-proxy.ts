import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { TLSSocket } from 'node:tls'

/** The moments at which a connection can be cut. */
export type Moment = 'before commit' | 'after commit' | 'after an answer'

/** CommandComplete of a COMMIT, and of any statement: a `C`, a length, a tag (PostgreSQL's protocol 3, message formats). */
const COMMITTED = /C\0\0\0.COMMIT\0/s
const COMPLETE = /C\0\0\0.(?:SELECT|INSERT|UPDATE|DELETE)/s
/** ReadyForQuery within a transaction: what was asked for is done, and not committed. */
const IN_TRANSACTION = /Z\0\0\0.T$/s

/** SSLRequest (PostgreSQL's protocol 3, message formats): the client asks for TLS, and is told so by an S. */
const WANTS_TLS = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47])

/** What a proxy that speaks TLS shows, in PEM. */
interface Certificate {
  cert: string
  key: string
}

/** A way to PostgreSQL that can be blocked without a word, or cut at a given moment of a transaction. */
export class PostgresProxy {
  readonly #server = createServer(socket => this.#meet(socket))
  readonly #port: number
  readonly #certificate: Certificate | undefined
  readonly #pairs = new Set<{ client: Socket; server: Socket; blocked: boolean }>()
  #cut: { moment: Moment; wanted: () => boolean; done: () => void } | null = null
  /** Nobody gets through, neither by what is open nor anew. */
  blocksAll = false

  private constructor(port: number, certificate?: Certificate) {
    this.#port = port
    this.#certificate = certificate
  }

  /**
   * @param port PostgreSQL's
   * @param certificate then it speaks TLS with those who come, and with nobody who does not ask for it
   */
  static async start(port: number, certificate?: Certificate): Promise<PostgresProxy> {
    const proxy = new PostgresProxy(port, certificate)
    proxy.#server.listen(0, '127.0.0.1')
    await once(proxy.#server, 'listening')
    return proxy
  }

  /** The same URL by way of the proxy. */
  url(direct: string): string {
    const url = new URL(direct)
    url.port = String((this.#server.address() as AddressInfo).port)
    if (this.#certificate) url.searchParams.set('sslmode', 'verify-full')
    return url.href
  }

  /** What is open now is half open from now on: nothing comes through, and neither end is told. */
  block(): number {
    for (const pair of this.#pairs) pair.blocked = true
    return this.#pairs.size
  }

  /** Cuts a connection at such a moment, once, when `wanted` says so of one; resolves when it is cut. */
  cutAt(moment: Moment, wanted: () => boolean = () => true): Promise<void> {
    return new Promise(done => {
      this.#cut = { moment, wanted, done }
    })
  }

  async close(): Promise<void> {
    for (const { client, server } of this.#pairs) {
      client.destroy()
      server.destroy()
    }
    this.#server.close()
    await once(this.#server, 'close')
  }

  #meet(socket: Socket): void {
    const certificate = this.#certificate
    if (!certificate) {
      this.#join(socket)
      return
    }
    socket.on('error', () => undefined)
    socket.once('data', (asked: Buffer) => {
      if (asked.equals(WANTS_TLS)) {
        socket.write('S')
        this.#join(new TLSSocket(socket, { isServer: true, ...certificate }))
      } else socket.destroy()
    })
  }

  #join(client: Socket): void {
    const server = connect(this.#port, '127.0.0.1')
    const pair = { client, server, blocked: this.blocksAll }
    this.#pairs.add(pair)
    const end = () => {
      // Of a half-open connection neither end hears of the other's.
      if (pair.blocked || this.blocksAll) return
      this.#pairs.delete(pair)
      client.destroy()
      server.destroy()
    }
    for (const socket of [client, server]) {
      socket.setNoDelay(true)
      socket.on('error', end)
      socket.on('close', end)
    }
    const pass = (to: Socket, moments: [Moment, RegExp][]) => (chunk: Buffer) => {
      if (pair.blocked || this.blocksAll) return
      const cut = this.#cut
      const found =
        cut &&
        moments.find(([moment, bytes]) => moment === cut.moment && bytes.test(chunk.toString('latin1')))
      if (cut && found && cut.wanted()) {
        this.#cut = null
        end()
        cut.done()
        return
      }
      if (!to.destroyed) to.write(chunk)
    }
    client.on('data', pass(server, []))
    server.on(
      'data',
      pass(client, [
        ['before commit', IN_TRANSACTION],
        ['after commit', COMMITTED],
        ['after an answer', COMPLETE],
      ]),
    )
  }
}
