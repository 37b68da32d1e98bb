import type { ImageRead, Job } from '@workly/core'
import { formatSeconds } from '#time/duration.ts'

type Retry = Pick<
  Job,
  'max_attempts' | 'min_backoff_seconds' | 'max_backoff_seconds' | 'backoff_multiplier' | 'retry_on_4xx'
>

/** A job's retry policy in words (spec section 4). */
export function retryWords(job: Retry): string {
  if (job.max_attempts === 1) return 'None: one attempt per run'
  const { min_backoff_seconds: min, max_backoff_seconds: max, backoff_multiplier: factor } = job
  const isFlat = factor === 1 || min >= max
  const wait = isFlat
    ? `${formatSeconds(Math.min(min, max))} between them`
    : `${formatSeconds(min)} after the first, each wait ${factor} times as long, at most ${formatSeconds(max)}`
  return `Up to ${job.max_attempts} attempts, ${wait}${job.retry_on_4xx ? '; 4xx answers too' : ''}`
}

/** The retry settings that a step has of its own, in words; null where it has none. */
export function ownRetryWords(step: { [Field in keyof Retry]?: Retry[Field] | undefined }): string | null {
  const words = [
    step.max_attempts !== undefined &&
      `${step.max_attempts} ${step.max_attempts === 1 ? 'attempt' : 'attempts'}`,
    step.min_backoff_seconds !== undefined && `first wait ${formatSeconds(step.min_backoff_seconds)}`,
    step.max_backoff_seconds !== undefined && `longest wait ${formatSeconds(step.max_backoff_seconds)}`,
    step.backoff_multiplier !== undefined && `each wait ${step.backoff_multiplier} times as long`,
    step.retry_on_4xx !== undefined && (step.retry_on_4xx ? '4xx answers too' : 'no 4xx answers'),
  ].filter(word => word !== false)
  return words.length === 0 ? null : `Of its own: ${words.join(', ')}; the rest as the job`
}

/** When an attempt counts as done (spec section 3). */
export function responseWords(response: NonNullable<Job['response']>): string {
  if (response === 'sync') return 'Done when the response arrives'
  return `Done by a callback, waited for up to ${formatSeconds(response.callback.max_wait_seconds)}`
}

/** When a container counts as done (spec section 3). */
export function endWords({ max_wait_seconds: wait }: Pick<ImageRead, 'max_wait_seconds'>): string {
  if (wait === null) return 'When the container exits; code 0 succeeds'
  return `By a callback, waited for up to ${formatSeconds(wait)}`
}

/** What happens when a run is due while an earlier one is still going (spec section 5). */
export function overlapWords(overlap: Job['overlap']): string {
  if (overlap === 'skip') return 'Skip a run that is due while another is going'
  return overlap === 'queue' ? 'Queue: one run at a time, the latest waits' : 'Allow runs side by side'
}

/** What happens to times that passed while nothing could run (spec section 5). */
export function missedWords(missed: Job['missed']): string {
  return missed === 'skip' ? 'Record the latest as skipped' : 'Catch up: run the latest once'
}
