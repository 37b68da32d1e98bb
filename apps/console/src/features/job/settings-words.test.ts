import { describe, expect, it } from 'vitest'
import { endWords, ownRetryWords, responseWords, retryWords } from './settings-words.ts'

const defaults = {
  max_attempts: 3,
  min_backoff_seconds: 5,
  max_backoff_seconds: 300,
  backoff_multiplier: 2,
  retry_on_4xx: false,
}

describe('responseWords', () => {
  it('tells a callback and how long it is waited for', () => {
    expect(responseWords({ callback: { max_wait_seconds: 600 } })).toBe(
      'Done by a callback, waited for up to 10 min',
    )
    expect(responseWords('sync')).toBe('Done when the response arrives')
  })
})

describe('retryWords', () => {
  it('reads the defaults', () => {
    expect(retryWords(defaults)).toBe(
      'Up to 3 attempts, 5 s after the first, each wait 2 times as long, at most 5 min',
    )
  })

  it('says that there are none', () => {
    expect(retryWords({ ...defaults, max_attempts: 1 })).toBe('None: one attempt per run')
  })

  it('reads waits that do not grow', () => {
    expect(retryWords({ ...defaults, backoff_multiplier: 1, retry_on_4xx: true })).toBe(
      'Up to 3 attempts, 5 s between them; 4xx answers too',
    )
    expect(retryWords({ ...defaults, min_backoff_seconds: 60, max_backoff_seconds: 30 })).toBe(
      'Up to 3 attempts, 30 s between them',
    )
  })
})

describe('ownRetryWords', () => {
  it('tells only what the step has of its own', () => {
    expect(ownRetryWords({})).toBeNull()
    expect(ownRetryWords({ max_attempts: 1, retry_on_4xx: false })).toBe(
      'Of its own: 1 attempt, no 4xx answers; the rest as the job',
    )
    expect(ownRetryWords({ max_attempts: 5, min_backoff_seconds: 0 })).toBe(
      'Of its own: 5 attempts, first wait 0 s; the rest as the job',
    )
  })
})

describe('endWords', () => {
  it('tells an exit from a callback', () => {
    expect(endWords({ max_wait_seconds: null })).toBe('When the container exits; code 0 succeeds')
    expect(endWords({ max_wait_seconds: 600 })).toBe('By a callback, waited for up to 10 min')
  })
})
