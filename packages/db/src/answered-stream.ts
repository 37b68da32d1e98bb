import { Duplex } from 'node:stream'
import { AnsweredSocket } from './answered-socket.ts'

type Done = (error?: Error | null) => void

/**
 * An {@link AnsweredSocket} for TLS to be laid over. Node takes the handle of a socket it finds under TLS for itself, so
 * that no byte passes the socket any more and nobody can tell whether the last thing that happened was a question or an
 * answer. Over a stream that is no socket TLS reads and writes what the socket sees.
 */
export class AnsweredStream extends Duplex {
  readonly #socket: AnsweredSocket

  /** @param withinMs how long an answer may take, in milliseconds */
  constructor(withinMs: number) {
    super()
    this.#socket = new AnsweredSocket(withinMs)
    this.#socket
      .on('connect', () => this.emit('connect'))
      .on('data', chunk => this.push(chunk) || this.#socket.pause())
      .on('end', () => this.push(null))
      .on('error', error => this.destroy(error))
      .on('close', () => this.destroy())
  }

  connect(...way: [{ path: string } | { port: number; host: string }] | [number, string]): this {
    if (typeof way[0] === 'number') this.#socket.connect(way[0], way[1] ?? 'localhost')
    else this.#socket.connect(way[0])
    return this
  }

  setNoDelay(isOn?: boolean): this {
    this.#socket.setNoDelay(isOn)
    return this
  }

  setKeepAlive(isOn?: boolean, afterMs?: number): this {
    this.#socket.setKeepAlive(isOn, afterMs)
    return this
  }

  ref(): this {
    this.#socket.ref()
    return this
  }

  unref(): this {
    this.#socket.unref()
    return this
  }

  override _read(): void {
    this.#socket.resume()
  }

  override _write(chunk: Uint8Array, _encoding: BufferEncoding, done: Done): void {
    this.#socket.write(chunk, done)
  }

  override _final(done: Done): void {
    this.#socket.end(() => done())
  }

  override _destroy(error: Error | null, done: Done): void {
    this.#socket.destroy()
    done(error)
  }
}

/** Whether a URL asks for TLS, in the words that `postgres` and `pg` know: `sslmode`, or `ssl`. */
function wantsTls(url: string): boolean {
  const { searchParams } = new URL(url)
  const asked = searchParams.get('sslmode') ?? searchParams.get('ssl')
  return asked !== null && !['disable', 'false', '0'].includes(asked)
}

/**
 * How connections to a URL are opened that are given up when the server is silent: see {@link AnsweredSocket}.
 * @param url `postgres://…`; with `sslmode` they are made for TLS to be laid over
 * @param withinMs how long an answer may take, in milliseconds
 */
export function answeredConnections(url: string, withinMs: number): () => AnsweredSocket | AnsweredStream {
  const Kind = wantsTls(url) ? AnsweredStream : AnsweredSocket
  return () => new Kind(withinMs)
}
