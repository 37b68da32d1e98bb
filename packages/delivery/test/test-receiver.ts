import { once } from 'node:events'
import {
  createServer as createHttpServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import type { TestCertificate } from './certificate.ts'

export { type CertificateOptions, selfSigned, TestAuthority, type TestCertificate } from './certificate.ts'

/** A request as it came. */
export interface ReceivedRequest {
  method: string
  /** Path and query. */
  url: string
  headers: IncomingHttpHeaders
  /** Names and values in turn, as sent. */
  rawHeaders: string[]
  body: Buffer
  /** When it had come whole, in milliseconds since the epoch. */
  receivedAt: number
  /** Which of the receiver's connections it came on, from 1. */
  connection: number
}

/** What the receiver does with a request. */
export type Answer =
  | {
      /** Default 200. */
      status?: number
      headers?: Record<string, string | string[]>
      body?: string | Uint8Array
      /** The answer waits for this. */
      after?: Promise<unknown>
    }
  /** These bytes as they are; then the connection is closed, or stays open. */
  | { raw: string | Uint8Array; close?: boolean }
  /** A beginning, and then the same bytes again and again. */
  | { drip: { first: string; each: string | Uint8Array; everyMs: number } }
  /** The connection is reset (RST). */
  | 'reset'
  /** The connection is closed (FIN) without an answer. */
  | 'close'
  /** Nothing is ever answered. */
  | 'hang'

export type Answering = Answer | ((request: ReceivedRequest) => Answer | Promise<Answer>)

export interface TestReceiverOptions {
  /** Serve https with this certificate. */
  tls?: TestCertificate
  /** Default: 200 with an empty body. Can be changed at any time. */
  answer?: Answering
  /** What happens to connections before any TLS or HTTP: accepted and left alone, or reset. */
  connections?: 'serve' | 'silent' | 'reset'
  /** Loopback address to listen on; default 127.0.0.1. */
  address?: string
  /** Default: any that is free. */
  port?: number
}

/** A target on loopback for tests. It answers as told and keeps every request. */
export class TestReceiver {
  readonly requests: ReceivedRequest[] = []
  /** TCP connections so far. */
  connections = 0
  answer: Answering
  readonly #options: TestReceiverOptions
  readonly #http: Server
  readonly #tcp = createServer()
  readonly #sockets = new Map<Socket, number>()
  readonly #timers = new Set<NodeJS.Timeout>()
  #emptied: (() => void)[] = []
  #waiting: { count: number; resolve: () => void }[] = []

  private constructor(options: TestReceiverOptions) {
    this.#options = options
    this.answer = options.answer ?? {}
    this.#http = options.tls ? createHttpsServer(options.tls) : createHttpServer()
    this.#http.on('request', (request, response) => this.#onRequest(request, response))
    this.#http.on('tlsClientError', () => undefined)
    this.#http.on('secureConnection', socket => socket.on('error', () => undefined))
    this.#tcp.on('connection', socket => this.#onConnection(socket))
  }

  static async start(options: TestReceiverOptions = {}): Promise<TestReceiver> {
    const receiver = new TestReceiver(options)
    receiver.#tcp.listen(options.port ?? 0, options.address ?? '127.0.0.1')
    await once(receiver.#tcp, 'listening')
    return receiver
  }

  get port(): number {
    return (this.#tcp.address() as AddressInfo).port
  }

  /** @param host a name that the test's resolver leads here; default: the address itself */
  url(path = '/', host?: string): string {
    const address = this.#options.address ?? '127.0.0.1'
    const authority = host ?? (address.includes(':') ? `[${address}]` : address)
    return `${this.#options.tls ? 'https' : 'http'}://${authority}:${this.port}${path}`
  }

  /** Resolves when that many requests have come in all. */
  async received(count = 1): Promise<ReceivedRequest[]> {
    if (this.requests.length < count) {
      await new Promise<void>(resolve => this.#waiting.push({ count, resolve }))
    }
    return this.requests
  }

  /** Resolves when no connection is open (any more). */
  async disconnected(): Promise<void> {
    if (this.#sockets.size > 0) await new Promise<void>(resolve => this.#emptied.push(resolve))
  }

  /** Closes every connection from this side, as a server does with those it finds idle. */
  dropConnections(): void {
    for (const socket of this.#sockets.keys()) socket.end()
  }

  async close(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer)
    for (const socket of this.#sockets.keys()) socket.destroy()
    this.#http.closeAllConnections()
    await new Promise(resolve => this.#tcp.close(resolve))
  }

  #onConnection(socket: Socket): void {
    this.connections++
    this.#sockets.set(socket, this.connections)
    socket.on('close', () => {
      this.#sockets.delete(socket)
      if (this.#sockets.size === 0) for (const resolve of this.#emptied.splice(0)) resolve()
    })
    socket.on('error', () => undefined)
    const how = this.#options.connections ?? 'serve'
    if (how === 'serve') this.#http.emit('connection', socket)
    else if (how === 'reset') socket.once('data', () => socket.resetAndDestroy())
    else socket.resume()
  }

  async #onRequest(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const connection = this.#connectionOf(request)
    const chunks: Buffer[] = []
    request.on('error', () => undefined)
    try {
      for await (const chunk of request) chunks.push(chunk)
    } catch {
      return // The caller hung up in the middle of its request.
    }
    const received: ReceivedRequest = {
      method: request.method ?? '',
      url: request.url ?? '',
      headers: request.headers,
      rawHeaders: request.rawHeaders,
      body: Buffer.concat(chunks),
      receivedAt: Date.now(),
      connection,
    }
    this.requests.push(received)
    this.#wake()
    await this.#give(typeof this.answer === 'function' ? await this.answer(received) : this.answer, response)
  }

  /** The TCP connection below a request, found by the caller's port, since TLS hides it. */
  #connectionOf(request: IncomingMessage): number {
    for (const [socket, n] of this.#sockets) if (socket.remotePort === request.socket.remotePort) return n
    return 0
  }

  #wake(): void {
    const ready = this.#waiting.filter(waiter => waiter.count <= this.requests.length)
    this.#waiting = this.#waiting.filter(waiter => waiter.count > this.requests.length)
    for (const waiter of ready) waiter.resolve()
  }

  async #give(answer: Answer, response: ServerResponse): Promise<void> {
    const { socket } = response
    if (answer === 'hang' || socket === null) return
    if (answer === 'reset') {
      this.#reset(socket)
    } else if (answer === 'close') {
      socket.end()
    } else if ('raw' in answer) {
      if (answer.close) socket.end(answer.raw)
      else socket.write(answer.raw)
    } else if ('drip' in answer) {
      this.#drip(socket, answer.drip)
    } else {
      await answer.after
      response.writeHead(answer.status ?? 200, answer.headers)
      response.end(answer.body)
    }
  }

  #reset(socket: Socket): void {
    for (const tcp of this.#sockets.keys()) if (tcp.remotePort === socket.remotePort) tcp.resetAndDestroy()
  }

  #drip(
    socket: Socket,
    { first, each, everyMs }: { first: string; each: string | Uint8Array; everyMs: number },
  ): void {
    if (first !== '') socket.write(first)
    const timer = setInterval(() => socket.write(each), everyMs)
    this.#timers.add(timer)
    socket.on('close', () => clearInterval(timer))
  }
}
