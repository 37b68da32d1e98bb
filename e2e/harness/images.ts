import { once } from 'node:events'
import { request } from 'node:http'
import { BOX, startEngine, type TestEngine } from '@workly/delivery/testing/docker-engine'
import { Stack } from './stack.ts'
import { test as base } from './test.ts'

export { BOX } from '@workly/delivery/testing/docker-engine'
export { expect } from './test.ts'

/** A Docker engine, asked through its socket. */
export class Engine {
  readonly #engine: TestEngine

  constructor(engine: TestEngine) {
    this.#engine = engine
  }

  /** What Workly is started with, so that it runs images there and they can report to loopback. */
  get env(): Record<string, string> {
    return {
      WORKLY_IMAGE_EXECUTOR: 'docker',
      WORKLY_DOCKER_SOCKET: this.#engine.socket,
      WORKLY_DOCKER_NETWORK: 'host',
      WORKLY_IMAGE_REGISTRY: this.#engine.registry,
      WORKLY_IMAGE_MEMORY: '64Mi',
    }
  }

  /** The containers of a run that are there now, running or not. */
  async containersOf(runId: string): Promise<unknown[]> {
    const filters = JSON.stringify({ label: [`workly/run=${runId}`] })
    return JSON.parse(await this.#get(`/containers/json?all=true&filters=${encodeURIComponent(filters)}`))
  }

  /** How many containers were ever made for a run, and how many were started. */
  async madeFor(runId: string): Promise<{ created: number; started: number }> {
    const filters = JSON.stringify({ type: ['container'], label: [`workly/run=${runId}`] })
    const until = Math.ceil(Date.now() / 1000)
    const path = `/events?since=0&until=${until}&filters=${encodeURIComponent(filters)}`
    const events = (await this.#get(path))
      .split('\n')
      .filter(line => line !== '')
      .map((line): { Action: string } => JSON.parse(line))
    const count = (action: string) => events.filter(event => event.Action === action).length
    return { created: count('create'), started: count('start') }
  }

  async #get(path: string): Promise<string> {
    const call = request({ socketPath: this.#engine.socket, path })
    call.end()
    const [response] = await once(call, 'response')
    const chunks: Buffer[] = []
    for await (const chunk of response) chunks.push(chunk)
    const text = Buffer.concat(chunks).toString('utf8')
    if (response.statusCode !== 200) throw new Error(`GET ${path}: ${response.statusCode} ${text}`)
    return text
  }
}

/** An image of the harness's engine that does what the script says. */
export function scripted(script: string, env: Record<string, unknown> = {}) {
  return { ...BOX, env: { ...env, SCRIPT: script }, timeout: 60, maxTimeToWaitCallback: 60 }
}

/** What a container's script says to report, as docs/pipelines.md has it. */
export function reporting(body: object): string {
  return `wget -qO- --header 'Content-Type: application/json' --post-data '${JSON.stringify(body)}' "$callbackUri"`
}

/** {@link base} with a Docker engine that the running Workly runs images on. An engine that will not start fails the test. */
export const test = base.extend<object, { engine: Engine }>({
  engine: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of what a fixture needs from here.
    async ({}, use) => {
      const engine = await startEngine()
      try {
        await use(new Engine(engine))
      } finally {
        await engine.stop()
      }
    },
    { scope: 'worker', timeout: 120_000 },
  ],
  stack: [
    async ({ engine, stackEnv }, use) => {
      const stack = await Stack.start({ env: { ...engine.env, ...stackEnv } })
      try {
        await use(stack)
      } finally {
        await stack.remove()
      }
    },
    { scope: 'worker', timeout: 180_000 },
  ],
})
