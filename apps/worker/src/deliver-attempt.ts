import { setTimeout as delay } from 'node:timers/promises'
import type { HttpCaller } from '@workly/delivery'
import {
  type AttemptResult,
  type BegunAttempt,
  type CallKeys,
  type FinishedCall,
  type OutgoingCall,
  outgoingCall,
  scopedCall,
  storedResult,
  withoutResponse,
} from '@workly/services'
import type { CallsInFlight } from './calls-in-flight.ts'
import type { DatabaseClock } from './clock.ts'

/** Keys that could not be read are read again after this. */
const READ_AGAIN_MS = 250

function notSent(error: unknown): AttemptResult {
  const message = error instanceof Error ? error.message : String(error)
  return withoutResponse('protocol', `The call could not be made: ${message}`)
}

export interface DeliveryParts {
  caller: HttpCaller
  clock: DatabaseClock
  inFlight: CallsInFlight
  /** Signing secrets of the project and secret headers of the request. */
  keysOf(attempt: BegunAttempt): Promise<CallKeys>
  /** Told when they could not be read; they are read again. */
  onKeysAway(attempt: BegunAttempt, error: unknown): void
}

/**
 * Makes the call of a begun attempt.
 * @returns what to write, or null when the call was cut off: whoever cut it has written what became of the attempt
 */
export async function deliverAttempt(
  parts: DeliveryParts,
  attempt: BegunAttempt,
): Promise<FinishedCall | null> {
  const finished = (result: AttemptResult): FinishedCall => ({
    attemptId: attempt.attempt_id,
    runId: attempt.run_id,
    fence: attempt.fence,
    finishedAt: parts.clock.now(),
    result,
  })
  return parts.inFlight.during(attempt.attempt_id, async signal => {
    const keys = await readKeys(parts, attempt, signal)
    if (!keys) return null
    let call: OutgoingCall
    try {
      call = outgoingCall(attempt, keys)
    } catch (error) {
      return finished(notSent(error))
    }
    const result = await parts.caller.call(
      { ...scopedCall(call, attempt.project_id), signal },
      parts.clock.now().getTime(),
    )
    if (signal.aborted && result.class === 'cancelled') return null
    return finished(storedResult(result, call.secrets))
  })
}

/**
 * Reads the keys, again and again while the database is away: that is our fault and not the target's, so it fails no
 * attempt. Null when the attempt was cut off meanwhile.
 */
async function readKeys(
  { keysOf, onKeysAway }: DeliveryParts,
  attempt: BegunAttempt,
  signal: AbortSignal,
): Promise<CallKeys | null> {
  while (!signal.aborted) {
    try {
      return await keysOf(attempt)
    } catch (error) {
      onKeysAway(attempt, error)
      await delay(READ_AGAIN_MS, undefined, { signal }).catch(() => undefined)
    }
  }
  return null
}
