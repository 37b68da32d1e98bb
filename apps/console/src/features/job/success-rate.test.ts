import { describe, expect, it } from 'vitest'
import { successRate } from './success-rate.ts'

describe('successRate', () => {
  it.each([
    [0, 0, null],
    [5, 0, '100 %'],
    [0, 3, '0 %'],
    [1, 1, '50 %'],
    [2, 1, '66.6 %'],
    [99_999, 1, '99.9 %'],
  ])('of %d successes and %d failures is %s', (succeeded, failed, text) => {
    expect(successRate({ succeeded, failed })).toBe(text)
  })
})
