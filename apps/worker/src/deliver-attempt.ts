import type { HttpCaller } from '@workly/delivery'
import {
  type AttemptResult,
  type BegunAttempt,
  bytesToKeep,
  type CallKeys,
  type FinishedCall,
  type OutgoingCall,
  outgoingCall,
  storedResult,
} from '@workly/services'
import type { CallsInFlight } from './calls-in-flight.ts'
import type { DatabaseClock } from './clock.ts'

function notSent(error: unknown): AttemptResult {
  const message = error instanceof Error ? error.message : String(error)
  return {
    class: 'protocol',
    message: `The call could not be made: ${message}`,
    status: null,
    headers: null,
    body: null,
    bodyTruncated: false,
    timings: { dns: null, connect: null, tls: null, firstByte: null, total: null },
    retryAfterMs: null,
  }
}

export interface DeliveryParts {
  caller: HttpCaller
  clock: DatabaseClock
  inFlight: CallsInFlight
  /** Signing secrets of the project and secret headers of the request. */
  keysOf(attempt: BegunAttempt): Promise<CallKeys>
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
  let call: OutgoingCall
  try {
    call = outgoingCall(attempt, await parts.keysOf(attempt))
  } catch (error) {
    return finished(notSent(error))
  }
  return parts.inFlight.during(attempt.attempt_id, async signal => {
    const result = await parts.caller.call(
      {
        url: call.url,
        method: call.method,
        headers: call.headers,
        body: call.body,
        timeoutMs: call.timeoutMs,
        scope: attempt.project_id,
        signal,
        keepBodyBytes: bytesToKeep(call.secrets),
      },
      parts.clock.now().getTime(),
    )
    if (signal.aborted && result.class === 'cancelled') return null
    return finished(storedResult(result, call.secrets))
  })
}
