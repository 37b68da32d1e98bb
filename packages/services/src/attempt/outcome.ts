import { type AttemptClass, afterFailure } from '@workly/core'
import type { HeldRun } from './held-run.ts'

/** How a call ended, secrets masked already. */
export interface AttemptResult {
  class: 'ok' | AttemptClass
  /** What to tell about a failure; null for a success. */
  message: string | null
  status: number | null
  headers: Record<string, string> | null
  /** The first 64 KiB. */
  body: Uint8Array | null
  bodyTruncated: boolean
  /** Milliseconds; null for what did not happen. */
  timings: {
    dns: number | null
    connect: number | null
    tls: number | null
    firstByte: number | null
    total: number | null
  }
  /** What the target asked to wait, on 429 and 503. */
  retryAfterMs: number | null
  /** Of class `executor`: it refused for good. */
  refused?: boolean
}

/** A result that no response came with: of a wait, of a report, or of a call that could not be made. */
export function withoutResponse(cls: AttemptResult['class'], message: string | null): AttemptResult {
  return {
    class: cls,
    message,
    status: null,
    headers: null,
    body: null,
    bodyTruncated: false,
    timings: { dns: null, connect: null, tls: null, firstByte: null, total: null },
    retryAfterMs: null,
  }
}

/** A call that has ended, to be written by the worker that holds its fence. */
export interface FinishedCall {
  attemptId: string
  runId: string
  fence: number
  finishedAt: Date
  result: AttemptResult
}

/** What becomes of a run when its attempt has ended. */
export interface Outcome {
  call: FinishedCall
  run: HeldRun
  state: 'running' | 'succeeded' | 'failed'
  /** Its step is done, and the next one is due at once. */
  advances: boolean
  /** Until when the attempt, which stays open, waits for a callback. */
  waitsUntil: Date | null
  counted: number
  nextAttemptAt: Date | null
  nextReason: string | null
}

/** Ended, the next attempt by the job's present settings, or the next step (spec sections 3 and 5). */
export function decide(call: FinishedCall, run: HeldRun, now: Date): Outcome {
  const { result } = call
  // A 2xx to a callback request only means that it was accepted; the wait counts from it.
  if (result.class === 'ok' && run.response !== 'sync') {
    const waitsUntil = new Date(call.finishedAt.getTime() + run.response.callback.max_wait_seconds * 1000)
    return {
      call,
      run,
      state: 'running',
      advances: false,
      waitsUntil,
      counted: run.attempts_counted,
      nextAttemptAt: null,
      nextReason: null,
    }
  }
  return conclude(call, run, now)
}

/** What becomes of a run whose attempt is over, by response or by callback. */
export function conclude(call: FinishedCall, run: HeldRun, now: Date): Outcome {
  const counted = run.attempts_counted + 1
  const { result } = call
  const over = {
    call,
    run,
    advances: false,
    waitsUntil: null,
    counted,
    nextAttemptAt: null,
    nextReason: null,
  }
  if (result.class === 'ok') {
    return run.step && !run.step.isLast
      ? { ...over, state: 'running', advances: true, counted: 0 }
      : { ...over, state: 'succeeded' }
  }
  const retry = afterFailure(run, counted, {
    class: result.class satisfies AttemptClass,
    status: result.status,
    retryAfterMs: result.retryAfterMs,
    refused: result.refused === true,
  })
  if (!retry) return { ...over, state: 'failed' }
  const nextAttemptAt = new Date(now.getTime() + retry.waitMs)
  return { ...over, state: 'running', nextAttemptAt, nextReason: retry.reason }
}
