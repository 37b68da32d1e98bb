import { once } from 'node:events'
import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** What an engine's API is asked for, one of the calls that Workly makes. */
export const VERBS = {
  inspect: /^GET \/containers\/[^/?]+\/json/,
  list: /^GET \/containers\/json/,
  findImage: /^GET \/images\/.*\/json/,
  pull: /^POST \/images\/create/,
  makeVolume: /^POST \/volumes\/create/,
  create: /^POST \/containers\/create/,
  openData: /^PUT \/containers\/[^/]+\/archive/,
  start: /^POST \/containers\/[^/]+\/start/,
  info: /^GET \/info/,
  wait: /^POST \/containers\/[^/]+\/wait/,
  logs: /^GET \/containers\/[^/]+\/logs/,
  stop: /^POST \/containers\/[^/]+\/stop/,
  remove: /^DELETE \/containers\//,
} as const

export type Verb = keyof typeof VERBS

/** What comes in place of the engine's answer. */
export type FaultyAnswer =
  | { status: number; message: string }
  /** A status of success, and nothing of the engine's behind it. */
  | { garbage: string }
  /** The engine does what it is asked; of its answer only the half arrives. */
  | 'cut'
  /** The engine does what it is asked, and the connection breaks before it says so. */
  | 'dropped'

interface Fault {
  verb: Verb
  answer: FaultyAnswer
  left: number
}

/** Stands before a real Docker engine and gives ordered answers in its place. */
export class FaultProxy {
  readonly #socketPath: string
  readonly #server = createServer((request, response) => void this.#answer(request, response))
  #faults: Fault[] = []
  /** Every call that came, in order. */
  calls: Verb[] = []

  private constructor(socketPath: string) {
    this.#socketPath = socketPath
  }

  static async open(socketPath: string): Promise<FaultProxy> {
    const proxy = new FaultProxy(socketPath)
    proxy.#server.listen(0, '127.0.0.1')
    await once(proxy.#server, 'listening')
    return proxy
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  /** @param times how many calls are answered so; without it all */
  order(verb: Verb, answer: FaultyAnswer, times = Number.POSITIVE_INFINITY): void {
    this.#faults.push({ verb, answer, left: times })
  }

  /** The engine itself answers again. */
  clear(): void {
    this.#faults = []
    this.calls = []
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise(resolve => this.#server.close(resolve))
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const call = `${request.method} ${request.url}`
    const verb = (Object.keys(VERBS) as Verb[]).find(name => VERBS[name].test(call))
    if (verb !== undefined) this.calls.push(verb)
    const fault = this.#faults.find(({ verb: wanted, left }) => wanted === verb && left > 0)
    if (fault !== undefined) fault.left--
    const answer = fault?.answer ?? 'whole'
    if (typeof answer === 'object') {
      request.resume()
      const [status, body] = 'garbage' in answer ? [200, answer.garbage] : [answer.status, jsonOf(answer)]
      response.writeHead(status, { 'content-type': 'application/json' }).end(body)
      return
    }
    this.#forward(request, response, answer)
  }

  #forward(request: IncomingMessage, response: ServerResponse, answer: 'whole' | 'cut' | 'dropped'): void {
    const { method, url, headers } = request
    const forwarded = httpRequest({ socketPath: this.#socketPath, method, path: url, headers })
    const brokenOff = () => response.destroy()
    forwarded.on('error', brokenOff)
    response.on('close', () => forwarded.destroy())
    forwarded.on('response', engine => {
      engine.on('error', brokenOff)
      if (answer === 'whole') {
        response.writeHead(engine.statusCode ?? 500, engine.headers)
        response.flushHeaders()
        engine.pipe(response)
      } else void half(engine, response, answer === 'cut')
    })
    request.pipe(forwarded)
  }
}

function jsonOf({ message }: { message: string }): string {
  return JSON.stringify({ message })
}

async function half(engine: IncomingMessage, response: ServerResponse, isHalf: boolean): Promise<void> {
  const chunks: Buffer[] = []
  for await (const chunk of engine) chunks.push(chunk as Buffer)
  const body = Buffer.concat(chunks)
  if (isHalf) {
    response.writeHead(engine.statusCode ?? 500, engine.headers)
    await new Promise(resolve => response.write(body.subarray(0, Math.ceil(body.length / 2)), resolve))
  }
  response.destroy()
}
