import type Dockerode from 'dockerode'
import { boundedCall } from '../bounded-call.ts'
import { ExecutorError } from '../image.ts'

/** Docker's engine answered, and not with what was asked for. */
export class EngineAnswer extends ExecutorError {
  readonly status: number
  /** In the engine's own words. */
  readonly reason: string

  constructor(status: number, reason: string, cause: unknown) {
    super(`Docker's engine answered ${status}: ${reason}`, {
      refused: status < 500 && status !== 408 && status !== 429,
      cause,
    })
    this.status = status
    this.reason = reason
  }
}

function textOf(error: object): string {
  const json = 'json' in error ? error.json : null
  if (typeof json === 'object' && json !== null && 'message' in json && typeof json.message === 'string') {
    return json.message.trim()
  }
  const text = 'message' in error && typeof error.message === 'string' ? error.message : String(error)
  // dockerode puts its own words before the engine's.
  return text.replace(/^\(HTTP code \d+\) .*? - /, '').trim()
}

/** What dockerode threw, as an answer of the engine's or as its absence. */
export function engineError(error: unknown): ExecutorError {
  if (error instanceof ExecutorError) return error
  if (typeof error !== 'object' || error === null) {
    return new ExecutorError(String(error), { refused: false, cause: error })
  }
  if ('statusCode' in error && typeof error.statusCode === 'number') {
    return new EngineAnswer(error.statusCode, textOf(error), error)
  }
  // No right to open the socket: that will not mend itself.
  const refused = 'code' in error && (error.code === 'EACCES' || error.code === 'EPERM')
  return new ExecutorError(`Docker's engine could not be reached: ${textOf(error)}.`, {
    refused,
    cause: error,
  })
}

export function isStatus(error: unknown, status: number): boolean {
  return error instanceof EngineAnswer && error.status === status
}

/** Docker's engine, each of whose calls ends in time. */
export class Engine {
  readonly docker: Dockerode
  readonly #timeoutMs: number

  constructor(docker: Dockerode, timeoutMs: number) {
    this.docker = docker
    this.#timeoutMs = timeoutMs
  }

  /**
   * @param timeoutMs default: the engine's; longer for calls that wait by nature
   * @throws ExecutorError (EngineAnswer with its status), or the signal's reason
   */
  async call<T>(
    signal: AbortSignal,
    ask: (docker: Dockerode, abortSignal: AbortSignal) => Promise<T>,
    timeoutMs = this.#timeoutMs,
  ): Promise<T> {
    const late = () =>
      new ExecutorError(`Docker's engine did not answer within ${timeoutMs / 1000} s.`, { refused: false })
    try {
      return await boundedCall(signal, timeoutMs, late, own => ask(this.docker, own))
    } catch (error) {
      signal.throwIfAborted()
      throw engineError(error)
    }
  }

  /** @returns null where the engine says that there is no such thing */
  async find<T>(
    signal: AbortSignal,
    ask: (docker: Dockerode, abortSignal: AbortSignal) => Promise<T>,
  ): Promise<T | null> {
    try {
      return await this.call(signal, ask)
    } catch (error) {
      if (isStatus(error, 404)) return null
      throw error
    }
  }
}
