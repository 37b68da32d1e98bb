import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { within } from '../until.ts'

/** A call as the target logs it. */
export interface LoggedCall {
  run: string
  job: string
  step: string
  attempt: number
  /** As the header has it. */
  scheduledFor: string
  /** When it had come whole, in milliseconds since the epoch. */
  at: number
  /** The status that was answered; null while, or because, none was. */
  answered: number | null
  /** Where to report the end, for a request that awaits a callback. */
  callback: string | null
  /** Of the caller's end of the connection. */
  port: number
}

/** What becomes of a call; by default it is answered with 200 after a moment. */
export type Behave = (call: LoggedCall, response: ServerResponse, number: number) => void | Promise<void>

/** Every call takes a moment, so that some are always under way. */
const MOMENT_MS = 200

/** Answers a call and logs with what. */
export function answer(call: LoggedCall, response: ServerResponse, status = 200, body = ''): void {
  if (response.destroyed) return
  response.writeHead(status)
  response.end(body)
  call.answered = status
}

/** A customer's endpoint that keeps a short log of thousands of calls. */
export class FleetTarget {
  readonly calls: LoggedCall[] = []
  behave: Behave
  readonly #server = createServer((request, response) => void this.#take(request, response))
  #waiters: { count: number; resolve: () => void }[] = []

  private constructor(behave: Behave) {
    this.behave = behave
  }

  static async start(behave: Behave = FleetTarget.afterAMoment): Promise<FleetTarget> {
    const target = new FleetTarget(behave)
    target.#server.listen(0, '127.0.0.1')
    await once(target.#server, 'listening')
    return target
  }

  static async afterAMoment(this: void, call: LoggedCall, response: ServerResponse): Promise<void> {
    await delay(MOMENT_MS)
    answer(call, response)
  }

  /** @param host a name or address of loopback: each is a host of its own for the bounds */
  url(path = '/', host = '127.0.0.1'): string {
    return `http://${host}:${(this.#server.address() as AddressInfo).port}${path}`
  }

  /** Resolves when so many more calls have come. */
  more(count: number, withinMs = 60_000): Promise<void> {
    return this.total(this.calls.length + count, withinMs)
  }

  /** Resolves when so many calls have come in all. */
  async total(count: number, withinMs = 60_000): Promise<void> {
    if (this.calls.length >= count) return
    const come = new Promise<void>(resolve => this.#waiters.push({ count, resolve }))
    await within(`${count} calls`, withinMs, come, () => `${this.calls.length} have come.`)
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise(resolve => this.#server.close(resolve))
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.on('error', () => undefined)
    try {
      request.resume()
      if (!request.complete) await once(request, 'end')
    } catch {
      return // The caller hung up.
    }
    const header = (name: string) => String(request.headers[name] ?? '')
    const call: LoggedCall = {
      run: header('workly-run-id'),
      job: header('workly-schedule'),
      step: header('workly-step'),
      attempt: Number(header('workly-attempt')),
      scheduledFor: header('workly-scheduled-for'),
      at: Date.now(),
      answered: null,
      callback: header('callback') || null,
      port: request.socket.remotePort ?? 0,
    }
    this.calls.push(call)
    const ready = this.#waiters.filter(waiter => this.calls.length >= waiter.count)
    this.#waiters = this.#waiters.filter(waiter => !ready.includes(waiter))
    for (const waiter of ready) waiter.resolve()
    await this.behave(call, response, this.calls.length)
  }
}
