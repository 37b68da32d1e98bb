import { type AttemptClass, afterFailure, type RetrySettings } from '@workly/core'
import type { ResponseMode } from '../job/stored-request.ts'

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
}

/** A call that has ended, to be written by the worker that holds its fence. */
export interface FinishedCall {
  attemptId: string
  runId: string
  fence: number
  finishedAt: Date
  result: AttemptResult
}

/** A run whose attempt is open and held, with the retry settings its job has now. */
export interface HeldRun extends RetrySettings {
  run_id: string
  job_id: string
  project_id: string
  organization_id: string
  attempt_id: string
  fence: number
  scheduled_for: Date
  started_at: Date
  attempts_counted: number
  /** From the scheduled time to the start, where this is the run's first attempt. */
  start_delay_ms: number | null
  /** How its request is done. */
  response: ResponseMode
}

/** What becomes of a run when its attempt has ended. */
export interface Outcome {
  call: FinishedCall
  run: HeldRun
  state: 'running' | 'succeeded' | 'failed'
  /** Until when the attempt, which stays open, waits for a callback. */
  waitsUntil: Date | null
  counted: number
  nextAttemptAt: Date | null
  nextReason: string | null
}

/** Ended, or the next attempt by the job's present settings (spec section 5). */
export function decide(call: FinishedCall, run: HeldRun, now: Date): Outcome {
  const { result } = call
  // A 2xx to a callback request only means that it was accepted; the wait counts from it.
  if (result.class === 'ok' && run.response !== 'sync') {
    const waitsUntil = new Date(call.finishedAt.getTime() + run.response.callback.max_wait_seconds * 1000)
    return {
      call,
      run,
      state: 'running',
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
  const over = { call, run, waitsUntil: null, counted, nextAttemptAt: null, nextReason: null }
  if (result.class === 'ok') return { ...over, state: 'succeeded' }
  const retry = afterFailure(run, counted, {
    class: result.class satisfies AttemptClass,
    status: result.status,
    retryAfterMs: result.retryAfterMs,
  })
  if (!retry) return { ...over, state: 'failed' }
  const nextAttemptAt = new Date(now.getTime() + retry.waitMs)
  return { ...over, state: 'running', nextAttemptAt, nextReason: retry.reason }
}
