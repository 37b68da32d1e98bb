import { RUN_STATES } from '@workly/core'
import { describe, expect, it } from 'vitest'
import { failedStep, legalActions, runLength } from './run-facts.ts'

const NOW = Date.parse('2026-12-01T12:00:10Z')

describe('runLength', () => {
  it('is unknown for a run that never started', () => {
    expect(runLength({ state: 'skipped', started_at: null, finished_at: null }, NOW)).toBeNull()
  })

  it('counts on while the run goes', () => {
    expect(runLength({ state: 'running', started_at: '2026-12-01T12:00:07Z', finished_at: null }, NOW)).toBe(
      3_000,
    )
  })

  it('stands still once it has ended', () => {
    const run = {
      state: 'failed',
      started_at: '2026-12-01T12:00:07Z',
      finished_at: '2026-12-01T12:00:08Z',
    } as const
    expect(runLength(run, NOW)).toBe(1_000)
  })
})

describe('legalActions', () => {
  it('retries what has ended and cancels what has not', () => {
    const retried = RUN_STATES.filter(state => legalActions(state).retry)
    const cancelled = RUN_STATES.filter(state => legalActions(state).cancel)
    expect(retried).toEqual(['succeeded', 'failed', 'cancelled', 'skipped'])
    expect(cancelled).toEqual(['pending', 'running'])
  })
})

describe('failedStep', () => {
  it('is the first that failed or was cancelled; there is none where all succeeded or none began', () => {
    const step = (id: string, state: 'succeeded' | 'failed' | 'cancelled' | 'not_run') => ({ id, state })
    expect(failedStep([step('a', 'succeeded'), step('b', 'failed'), step('c', 'not_run')])?.id).toBe('b')
    expect(failedStep([step('a', 'cancelled')])?.id).toBe('a')
    expect(failedStep([step('a', 'succeeded'), step('b', 'not_run')])).toBeUndefined()
  })
})
