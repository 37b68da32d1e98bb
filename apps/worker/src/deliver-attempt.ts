import type { CallResult, HttpCaller } from '@workly/delivery'
import {
  type AttemptResult,
  type BegunAttempt,
  type CallKeys,
  type FinishedCall,
  maskBytes,
  maskText,
  type OutgoingCall,
  outgoingCall,
} from '@workly/services'
import type { CallsInFlight } from './calls-in-flight.ts'
import type { DatabaseClock } from './clock.ts'

/** How much of a response's body is kept (spec section 5, "Attempt"). */
const KEPT_BODY_BYTES = 64 * 1024
const MOST_MESSAGE = 2_000

/** What Postgres can hold: no NUL, no half of a surrogate pair. */
function storable(text: string): string {
  return text.replaceAll('\u0000', '\ufffd').toWellFormed()
}

function keptBody(result: CallResult, secrets: string[]): { body: Uint8Array; truncated: boolean } {
  const masked = maskBytes(result.body, secrets, result.bodyTruncated)
  return {
    body: masked.subarray(0, KEPT_BODY_BYTES),
    truncated: result.bodyTruncated || masked.length > KEPT_BODY_BYTES,
  }
}

/** A call's result in the form that is stored: secrets masked before anything is cut (spec section 8). */
export function storedResult(result: CallResult, secrets: string[]): AttemptResult {
  const { body, truncated } = keptBody(result, secrets)
  const shown = (text: string) => storable(maskText(text, secrets))
  return {
    class: result.class,
    message: result.message === null ? null : shown(result.message).slice(0, MOST_MESSAGE).toWellFormed(),
    status: result.status,
    headers:
      result.headers &&
      Object.fromEntries(Object.entries(result.headers).map(([name, value]) => [name, shown(value)])),
    body: result.status === null ? null : body,
    bodyTruncated: truncated,
    timings: result.timings,
    retryAfterMs: result.retryAfterMs,
  }
}

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
        keepBodyBytes: KEPT_BODY_BYTES + Math.max(0, ...call.secrets.map(s => Buffer.byteLength(s))),
      },
      parts.clock.now().getTime(),
    )
    if (signal.aborted && result.class === 'cancelled') return null
    return finished(storedResult(result, call.secrets))
  })
}
