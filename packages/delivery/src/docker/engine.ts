import type Dockerode from 'dockerode'
import { boundedCall } from '../bounded-call.ts'
import { ExecutorError } from '../image.ts'

/** Statuses that speak of how things stand just now (there is no such thing, something is in the way), not of our rights. */
const PASSING = new Set([404, 408, 409, 429])

/** Engines by themselves refuse nobody. */
const ADMIT_US = ". Let Workly's workers through in its authorization plugin, or in the proxy before it."

/** Docker's engine answered, and not with what was asked for. */
export class EngineAnswer extends ExecutorError {
  readonly status: number
  /** In the engine's own words. */
  readonly reason: string

  constructor(status: number, reason: string, cause: unknown) {
    const isForbidden = status === 401 || status === 403
    super(`Docker's engine answered ${status}: ${reason}${isForbidden ? ADMIT_US : ''}`, {
      refused: status >= 400 && status < 500 && !PASSING.has(status),
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
  if (error instanceof SyntaxError) {
    const message = `Docker's engine gave an answer that cannot be read: ${error.message}.`
    return new ExecutorError(message, { refused: false, cause: error })
  }
  // No right to open the socket: that will not mend itself.
  const refused = 'code' in error && (error.code === 'EACCES' || error.code === 'EPERM')
  const advice = refused
    ? 'Let the user that runs the workers open the socket, such as by the group "docker".'
    : 'Check that it runs, and that WORKLY_DOCKER_SOCKET or WORKLY_DOCKER_HOST leads to it.'
  return new ExecutorError(`Docker's engine could not be reached: ${textOf(error)}. ${advice}`, {
    refused,
    cause: error,
  })
}

/**
 * Hands on an answer that is what was asked for; what a proxy made up, or what was cut off, is none.
 * @throws ExecutorError, to be asked again
 */
export function sound<T>(answer: T, isSound: boolean): T {
  if (isSound) return answer
  throw new ExecutorError(
    "Docker's engine gave an answer that is none of its own. Check that WORKLY_DOCKER_HOST leads to an engine.",
    { refused: false },
  )
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
      new ExecutorError(
        `Docker's engine did not answer within ${timeoutMs / 1000} s. Check that it is well, and restart it if not.`,
        { refused: false },
      )
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
