import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { within } from './until.ts'

/** A call as it came. */
export interface Call {
  method: string
  /** Path and query. */
  path: string
  headers: IncomingHttpHeaders
  body: string
  /** When it had come whole, in milliseconds since the epoch. */
  at: number
  /** Resolves when the answer has been handed to the system, or the caller has hung up. */
  answered: Promise<unknown>
  /** Whether the caller has hung up before it had its answer. */
  isHungUp: () => boolean
}

/** What the target answers. */
export interface Reply {
  /** Default 200. */
  status?: number
  headers?: Record<string, string>
  body?: string
  /** The answer waits for this. */
  after?: Promise<unknown>
}

interface Waiter {
  fits: (calls: Call[]) => boolean
  resolve: () => void
}

/** A customer's endpoint on loopback: keeps every call and answers as told. */
export class Target {
  readonly calls: Call[] = []
  /** Told each call with its number, from 1. Can be changed at any time. */
  reply: (call: Call, number: number) => Reply = () => ({})
  readonly #server = createServer((request, response) => void this.#take(request, response))
  #waiters: Waiter[] = []

  static async start(): Promise<Target> {
    const target = new Target()
    target.#server.listen(0, '127.0.0.1')
    await once(target.#server, 'listening')
    return target
  }

  url(path = '/'): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}${path}`
  }

  to(path: string): Call[] {
    return this.calls.filter(call => call.path === path)
  }

  /**
   * Resolves with the calls to a path when there are that many.
   * @throws Error when they do not come in time
   */
  async received(count: number, path = '/', withinMs = 30_000): Promise<Call[]> {
    const fits = () => this.to(path).length >= count
    if (!fits()) {
      const come = new Promise<void>(resolve => this.#waiters.push({ fits, resolve }))
      await within(`${count} calls to ${path}`, withinMs, come, () => `${this.to(path).length} have come.`)
    }
    return this.to(path)
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise(resolve => this.#server.close(resolve))
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    try {
      for await (const chunk of request) chunks.push(chunk)
    } catch {
      return // The caller hung up.
    }
    const { method = '', url: path = '', headers } = request
    const body = Buffer.concat(chunks).toString('utf8')
    const answered = Promise.race([once(response, 'finish'), once(response, 'close')])
    const isHungUp = () => response.destroyed && !response.writableFinished
    const call = { method, path, headers, body, at: Date.now(), answered, isHungUp }
    this.calls.push(call)
    const reply = this.reply(call, this.calls.length)
    const ready = this.#waiters.filter(waiter => waiter.fits(this.calls))
    this.#waiters = this.#waiters.filter(waiter => !ready.includes(waiter))
    for (const waiter of ready) waiter.resolve()
    await reply.after
    response.writeHead(reply.status ?? 200, reply.headers)
    response.end(reply.body)
  }
}
