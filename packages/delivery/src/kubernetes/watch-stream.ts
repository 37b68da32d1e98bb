import { createInterface } from 'node:readline'
import { ExecutorError } from '../image.ts'
import type { ApiCall, KubeApi } from './api.ts'
import { ApiAnswer, type ApiStatus, isPassing, noAnswer, unreachable } from './api-answer.ts'
import type { KubeObject } from './objects.ts'

export interface WatchEvent<T extends KubeObject> {
  type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK'
  object: T
}

/** A list has to be read anew: the server no longer knows the version to go on from. */
export class WatchExpired extends Error {}

interface RawEvent {
  type: string
  object: unknown
}

function checked<T extends KubeObject>(raw: RawEvent): WatchEvent<T> {
  if (typeof raw?.object !== 'object' || raw.object === null) throw noAnswer()
  if (raw.type !== 'ERROR') return raw as WatchEvent<T>
  const status: ApiStatus = raw.object
  const code = status.code ?? 500
  if (code === 410) throw new WatchExpired(status.message)
  throw new ApiAnswer(code, status, { refused: !isPassing(code, status.message ?? '') })
}

/**
 * Reads one watch to its end, which comes without an error at the server's timeout, at a proxy's whim, or (`stallMs`)
 * when nothing came for so long that the connection may be dead: servers send a bookmark about every minute.
 * @throws WatchExpired, ExecutorError when the connection broke or the server refused, the signal's reason
 */
export async function readWatch<T extends KubeObject>(
  api: KubeApi,
  call: ApiCall,
  options: { signal: AbortSignal; stallMs: number },
  onEvent: (event: WatchEvent<T>) => void,
): Promise<void> {
  const stalled = new AbortController()
  const timer = setTimeout(() => stalled.abort(), options.stallMs)
  try {
    const response = await api.open(call, AbortSignal.any([options.signal, stalled.signal]))
    response.on('data', () => timer.refresh())
    const broken = new Promise<never>((_, reject) => response.once('error', reject))
    const read = async () => {
      for await (const line of createInterface({ input: response })) {
        if (line !== '') onEvent(checked<T>(JSON.parse(line) as RawEvent))
      }
    }
    await Promise.race([read(), broken])
  } catch (error) {
    options.signal.throwIfAborted()
    if (stalled.signal.aborted) return
    if (error instanceof ExecutorError || error instanceof WatchExpired) throw error
    throw unreachable(error)
  } finally {
    clearTimeout(timer)
    // Ends a connection that is still open, as after an ERROR event.
    stalled.abort()
  }
}
