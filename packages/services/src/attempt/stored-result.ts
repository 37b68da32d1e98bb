import { storable } from '../storable-text.ts'
import { longestForm, maskBytes, maskText } from './mask-secrets.ts'
import type { AttemptResult } from './outcome.ts'
import type { OutgoingCall } from './outgoing-call.ts'

/** What came of a call, as whoever made it has it: nothing masked or cut. */
export interface RawResult extends Omit<AttemptResult, 'body'> {
  body: Uint8Array
}

/** How much of a response's body is kept (spec section 5, "Attempt"). */
export const KEPT_BODY_BYTES = 64 * 1024
const MOST_MESSAGE = 2_000

/** A message that may quote a target, a cluster or an engine, in the form that is stored: secrets masked, then cut. */
export function storedMessage(message: string | null, secrets: readonly string[]): string | null {
  if (message === null) return null
  return storable(maskText(message, secrets)).slice(0, MOST_MESSAGE).toWellFormed()
}

function keptBody(result: RawResult, secrets: string[]): { body: Uint8Array; truncated: boolean } {
  const masked = maskBytes(result.body, secrets, result.bodyTruncated)
  return {
    body: masked.subarray(0, KEPT_BODY_BYTES),
    truncated: result.bodyTruncated || masked.length > KEPT_BODY_BYTES,
  }
}

/** A call's result in the form that is stored: secrets masked before anything is cut (spec section 8). */
export function storedResult(result: RawResult, secrets: string[]): AttemptResult {
  const { body, truncated } = keptBody(result, secrets)
  const shown = (text: string) => storable(maskText(text, secrets))
  return {
    class: result.class,
    message: storedMessage(result.message, secrets),
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

/** How many bytes of a body a caller has to keep so that secrets in it can be masked before it is cut. */
export function bytesToKeep(secrets: readonly string[]): number {
  return KEPT_BODY_BYTES + longestForm(secrets)
}

/** What a caller makes a call from: it uses connections again within a scope alone. */
export type ScopedCall = Omit<OutgoingCall, 'secrets'> & { scope: string; keepBodyBytes: number }

/** A call within its project's own connections, of whose answer enough is kept to mask secrets before it is cut. */
export function scopedCall({ secrets, ...call }: OutgoingCall, projectId: string): ScopedCall {
  return { ...call, scope: projectId, keepBodyBytes: bytesToKeep(secrets) }
}
