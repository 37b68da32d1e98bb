import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Takes the calls of containers on loopback, so that a test can wait until one is where it wants it. */
export class CallbackTarget {
  readonly #server: Server
  readonly #calls: string[] = []
  readonly #waiting = new Map<string, () => void>()

  private constructor(server: Server) {
    this.#server = server
  }

  static async open(): Promise<CallbackTarget> {
    const server = createServer()
    const target = new CallbackTarget(server)
    server.on('request', (request, response) => {
      const path = `${request.url}`.slice(1)
      target.#calls.push(path)
      response.end('ok\n')
      target.#waiting.get(path)?.()
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    return target
  }

  /** A URL whose call `called(name)` waits for. */
  url(name: string): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/${name}`
  }

  count(name: string): number {
    return this.#calls.filter(call => call === name).length
  }

  async called(name: string): Promise<void> {
    if (this.count(name) > 0) return
    await new Promise<void>(resolve => this.#waiting.set(name, resolve))
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise(resolve => this.#server.close(resolve))
  }
}
