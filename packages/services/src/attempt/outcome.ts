import { type AttemptClass, afterFailure, type RetrySettings } from '@workly/core'

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
}

/** What becomes of a run when its attempt has ended. */
export interface Outcome {
  call: FinishedCall
  run: HeldRun
  state: 'running' | 'succeeded' | 'failed'
  counted: number
  nextAttemptAt: Date | null
  nextReason: string | null
}

/** Ended, or the next attempt by the job's present settings (spec section 5). */
export function decide(call: FinishedCall, run: HeldRun, now: Date): Outcome {
  const counted = run.attempts_counted + 1
  const { result } = call
  if (result.class === 'ok') {
    return { call, run, state: 'succeeded', counted, nextAttemptAt: null, nextReason: null }
  }
  const retry = afterFailure(run, counted, {
    class: result.class satisfies AttemptClass,
    status: result.status,
    retryAfterMs: result.retryAfterMs,
  })
  if (!retry) return { call, run, state: 'failed', counted, nextAttemptAt: null, nextReason: null }
  const nextAttemptAt = new Date(now.getTime() + retry.waitMs)
  return { call, run, state: 'running', counted, nextAttemptAt, nextReason: retry.reason }
}
