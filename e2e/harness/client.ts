import type { Job, Run, RunListItem } from '@workly/core'
import { until } from './until.ts'

/** An answer of the API. */
export interface Answer<T = unknown> {
  status: number
  headers: Headers
  body: T
}

type Settings = Record<string, unknown>

const ENDED = new Set<string>(['succeeded', 'failed', 'cancelled', 'skipped'])

/** A customer of the REST API, by plain HTTP. */
export class Client {
  readonly #base: string
  readonly #apiKey: string

  constructor(base: string, apiKey: string) {
    this.#base = base
    this.#apiKey = apiKey
  }

  async call<T = unknown>(method: string, path: string, body?: unknown): Promise<Answer<T>> {
    const response = await fetch(`${this.#base}${path}`, {
      method,
      headers: { authorization: `Bearer ${this.#apiKey}` },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(30_000),
    })
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.includes('json') === true
    return {
      status: response.status,
      headers: response.headers,
      body: (isJson ? JSON.parse(text) : text) as T,
    }
  }

  putJob(name: string, settings: Settings): Promise<Job> {
    return this.#good('PUT', `/v1/jobs/${name}`, settings)
  }

  job(name: string): Promise<Job> {
    return this.#good('GET', `/v1/jobs/${name}`)
  }

  deleteJob(name: string): Promise<unknown> {
    return this.#good('DELETE', `/v1/jobs/${name}`)
  }

  pause(name: string): Promise<Job> {
    return this.#good('POST', `/v1/jobs/${name}/pause`)
  }

  trigger(name: string): Promise<Run> {
    return this.#good('POST', `/v1/jobs/${name}/trigger`)
  }

  run(id: string): Promise<Run> {
    return this.#good('GET', `/v1/runs/${id}`)
  }

  /** The newest runs of a job, newest first. */
  async runs(name: string): Promise<RunListItem[]> {
    const list = await this.#good<{ data: RunListItem[] }>('GET', `/v1/jobs/${name}/runs?limit=200`)
    return list.data
  }

  /** Resolves with a run when it has ended, however. */
  ended(id: string, withinMs = 30_000): Promise<Run> {
    return until(
      `run ${id} has ended`,
      () => this.run(id),
      run => ENDED.has(run.state),
      withinMs,
    )
  }

  async #good<T>(method: string, path: string, body?: unknown): Promise<T> {
    const answer = await this.call<T>(method, path, body)
    if (answer.status < 200 || answer.status > 299)
      throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
    return answer.body
  }
}
