import { describe, expect, it } from 'vitest'
import { formatCountdown, formatRelative } from './relative.ts'

const NOW = Date.parse('2026-12-01T12:00:00Z')

describe('formatRelative', () => {
  it.each([
    [0, 'now'],
    [400, 'now'],
    [1_000, 'in 1 s'],
    [59_000, 'in 59 s'],
    [60_000, 'in 1 min'],
    [59 * 60_000, 'in 59 min'],
    [3_600_000, 'in 1 h'],
    [12_000_000, 'in 3 h 20 min'],
    [23 * 3_600_000 + 1_800_000, 'in 23 h'],
    [86_400_000, 'in 1 day'],
    [59 * 86_400_000, 'in 59 days'],
    [61 * 86_400_000, 'in 2 months'],
    [800 * 86_400_000, 'in 2 years'],
    [-12_000, '12 s ago'],
    [-90_000, '1 min ago'],
    [-2 * 86_400_000, '2 days ago'],
  ])('reads %d ms from now as %s', (offset, text) => {
    expect(formatRelative(NOW + offset, NOW)).toBe(text)
  })
})

describe('formatCountdown', () => {
  it.each([
    [7_000, '0:07'],
    [6_400, '0:07'],
    [750_000, '12:30'],
    [3_900_000, '1:05:00'],
    [0, '0:00'],
    [-5_000, '0:00'],
  ])('counts %d ms down as %s', (left, text) => {
    expect(formatCountdown(NOW + left, NOW)).toBe(text)
  })
})
