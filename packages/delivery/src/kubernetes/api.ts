import { request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest, type RequestOptions } from 'node:https'
import type { KubeConfig } from '@kubernetes/client-node'
import { boundedCall } from '../bounded-call.ts'
import { ExecutorError } from '../image.ts'
import { ApiAnswer, type ApiStatus, isPassing, noAnswer, unreachable } from './api-answer.ts'

export type Query = Readonly<Record<string, string | number | boolean | undefined>>

export interface ApiCall {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  path: string
  query?: Query
  body?: object
  /** Default `application/json`. */
  contentType?: string
}

function pathWithQuery(call: ApiCall): string {
  const query = new URLSearchParams()
  for (const [key, value] of Object.entries(call.query ?? {})) {
    if (value !== undefined) query.set(key, String(value))
  }
  return query.size === 0 ? call.path : `${call.path}?${query}`
}

async function textOf(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of response) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString('utf8')
}

/** @throws ExecutorError for what is no object of Kubernetes', each of which names its kind */
function objectOf(text: string): object {
  const value = JSON.parse(text) as unknown
  if (typeof value === 'object' && value !== null && 'kind' in value) return value
  throw noAnswer()
}

function statusOf(text: string): ApiStatus {
  try {
    return objectOf(text)
  } catch {
    // A proxy in between answers in a form of its own.
    return { message: text.slice(0, 300) }
  }
}

/**
 * Calls to a Kubernetes API server. The official client finds the server, its certificates and tokens; the calls are made
 * here, since each has to end in time and at a signal, and an absence has to be told from a refusal.
 */
export class KubeApi {
  readonly #config: KubeConfig
  readonly #answerMs: number

  /** @param answerMs how long one answer may take, in milliseconds */
  constructor(config: KubeConfig, answerMs: number) {
    this.#config = config
    this.#answerMs = answerMs
  }

  /**
   * @returns the answer's JSON, taken for what was asked for
   * @throws ApiAnswer for a status other than 2xx, ExecutorError when nobody answers, the signal's reason
   */
  async request<T>(call: ApiCall, signal: AbortSignal): Promise<T> {
    return await this.#bounded(signal, async own => {
      const response = await this.open(call, own)
      return objectOf(await textOf(response)) as T
    })
  }

  /** As `request`, but null for 404. */
  async find<T>(call: ApiCall, signal: AbortSignal): Promise<T | null> {
    try {
      return await this.request<T>(call, signal)
    } catch (error) {
      if (error instanceof ApiAnswer && error.status === 404) return null
      throw error
    }
  }

  /** Hands over the answer's bytes as they come, all of them within the time of one answer. */
  async read(call: ApiCall, signal: AbortSignal, onBytes: (bytes: Uint8Array) => void): Promise<void> {
    await this.#bounded(signal, async own => {
      for await (const chunk of await this.open(call, own)) onBytes(chunk as Buffer)
    })
  }

  async #bounded<T>(signal: AbortSignal, call: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const late = () => unreachable(`no answer within ${this.#answerMs / 1000} s`)
    try {
      return await boundedCall(signal, this.#answerMs, late, call)
    } catch (error) {
      signal.throwIfAborted()
      throw error instanceof ExecutorError ? error : unreachable(error)
    }
  }

  /**
   * Opens an answer of status 2xx, to be read by the caller.
   * @throws ApiAnswer, ExecutorError; the answer's stream errors when the signal is aborted or the connection breaks
   */
  async open(call: ApiCall, signal: AbortSignal): Promise<IncomingMessage> {
    const response = await this.#send(call, signal)
    const { statusCode = 0 } = response
    if (statusCode >= 200 && statusCode < 300) return response
    const status = statusOf(await textOf(response))
    const retryAfter = Number(response.headers['retry-after'])
    throw new ApiAnswer(statusCode, status, {
      refused: !isPassing(statusCode, status.message ?? ''),
      retryAfterMs: retryAfter > 0 ? retryAfter * 1000 : null,
    })
  }

  async #send(call: ApiCall, signal: AbortSignal): Promise<IncomingMessage> {
    const server = this.#config.getCurrentCluster()?.server
    if (server === undefined) {
      throw new ExecutorError('No Kubernetes cluster is set up: there is no current context.', {
        refused: true,
      })
    }
    const body = call.body === undefined ? null : JSON.stringify(call.body)
    const options: RequestOptions = {
      method: call.method,
      headers: {
        accept: 'application/json',
        ...(body === null ? {} : { 'content-type': call.contentType ?? 'application/json' }),
        ...(body === null ? {} : { 'content-length': Buffer.byteLength(body) }),
      },
      signal,
    }
    await this.#config.applyToHTTPSOptions(options).catch((error: unknown) => {
      throw unreachable(error)
    })
    const url = new URL(server.replace(/\/+$/, '') + pathWithQuery(call))
    const send = url.protocol === 'http:' ? httpRequest : httpsRequest
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
    const request = send(url, options, resolve)
    request.on('error', error => reject(unreachable(error)))
    // A connection that was half cut is found by the kernel, not by waiting for the next event.
    request.on('socket', socket => socket.setKeepAlive(true, 15_000))
    request.end(body ?? undefined)
    return await promise
  }
}
