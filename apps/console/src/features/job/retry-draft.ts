import type { FieldIssue, JobPatch } from '@workly/core'
import { readNumber } from '#features/target/read-number.ts'

/** Retry settings as they were typed; what is empty is left to the default, in a step to the job's. */
export interface RetryDraft {
  maxAttempts: string
  minBackoffSeconds: string
  maxBackoffSeconds: string
  backoffMultiplier: string
  retryOn4xx: '' | 'yes' | 'no'
}

export type RetrySettings = Pick<
  JobPatch,
  'max_attempts' | 'min_backoff_seconds' | 'max_backoff_seconds' | 'backoff_multiplier' | 'retry_on_4xx'
>

export const EMPTY_RETRY: RetryDraft = {
  maxAttempts: '',
  minBackoffSeconds: '',
  maxBackoffSeconds: '',
  backoffMultiplier: '',
  retryOn4xx: '',
}

type ReadRetry = { [Field in keyof RetrySettings]?: RetrySettings[Field] | undefined }

export function retryDraft(retry: ReadRetry): RetryDraft {
  const text = (value: number | null | undefined) => String(value ?? '')
  return {
    maxAttempts: text(retry.max_attempts),
    minBackoffSeconds: text(retry.min_backoff_seconds),
    maxBackoffSeconds: text(retry.max_backoff_seconds),
    backoffMultiplier: text(retry.backoff_multiplier),
    retryOn4xx: typeof retry.retry_on_4xx === 'boolean' ? (retry.retry_on_4xx ? 'yes' : 'no') : '',
  }
}

/** @param place what stands before the fields, such as `steps[1].` */
export function readRetry(draft: RetryDraft, place: string, issues: FieldIssue[]): RetrySettings {
  const read = (text: string, field: keyof RetrySettings) => readNumber(text, `${place}${field}`, issues)
  return {
    max_attempts: read(draft.maxAttempts, 'max_attempts'),
    min_backoff_seconds: read(draft.minBackoffSeconds, 'min_backoff_seconds'),
    max_backoff_seconds: read(draft.maxBackoffSeconds, 'max_backoff_seconds'),
    backoff_multiplier: read(draft.backoffMultiplier, 'backoff_multiplier'),
    retry_on_4xx: draft.retryOn4xx === '' ? null : draft.retryOn4xx === 'yes',
  }
}
