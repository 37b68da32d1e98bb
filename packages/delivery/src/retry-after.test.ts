import { describe, expect, it } from 'vitest'
import { retryAfterMs } from './retry-after.ts'

const now = Date.UTC(1994, 10, 6, 8, 49, 0)

describe('retryAfterMs', () => {
  it.each([
    ['120', 120_000],
    [' 0 ', 0],
    ['Sun, 06 Nov 1994 08:49:37 GMT', 37_000],
    ['Sunday, 06-Nov-94 08:49:37 GMT', 37_000],
    ['Sun Nov  6 08:49:37 1994', 37_000],
    ['Sun, 06 Nov 1994 08:00:00 GMT', 0],
  ])('reads %j as %i ms', (value, ms) => {
    expect(retryAfterMs(value, now)).toBe(ms)
  })

  it.each([
    undefined,
    '',
    'soon',
    '-1',
    '1.5',
    '0x10',
    '1994-11-06T08:49:37Z',
    'Sun, 99 Nov 1994 08:49:37 GMT',
  ])('makes nothing of %j', value => {
    expect(retryAfterMs(value, now)).toBeNull()
  })
})
