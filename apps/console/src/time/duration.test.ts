import { describe, expect, it } from 'vitest'
import { formatDuration, formatElapsed, formatSeconds } from './duration.ts'

describe('formatDuration', () => {
  it.each([
    [0, '0 ms'],
    [0.44, '0.4 ms'],
    [4, '4 ms'],
    [312.4, '312 ms'],
    [999.4, '999 ms'],
    [999.6, '1.00 s'],
    [1_240, '1.24 s'],
    [9_994, '9.99 s'],
    [9_996, '10.0 s'],
    [12_345, '12.3 s'],
    [59_940, '59.9 s'],
    [59_960, '1 min 00 s'],
    [125_000, '2 min 05 s'],
    [3_599_600, '1 h 00 min'],
    [3_780_000, '1 h 03 min'],
    [86_399_000, '1 d 0 h'],
    [187_200_000, '2 d 4 h'],
  ])('reads %d ms as %s', (ms, text) => {
    expect(formatDuration(ms)).toBe(text)
  })

  it('reads a negative length as none', () => {
    expect(formatDuration(-250)).toBe('0 ms')
  })
})

describe('formatElapsed', () => {
  it.each([
    [-5, '0 s'],
    [999, '0 s'],
    [42_900, '42 s'],
    [125_400, '2 min 05 s'],
  ])('counts %d ms as %s', (ms, text) => {
    expect(formatElapsed(ms)).toBe(text)
  })
})

describe('formatSeconds', () => {
  it.each([
    [0, '0 s'],
    [30, '30 s'],
    [300, '5 min'],
    [5_400, '1 h 30 min'],
    [90_061, '1 day 1 h 1 min 1 s'],
    [604_800, '7 days'],
  ])('reads %d seconds as %s', (seconds, text) => {
    expect(formatSeconds(seconds)).toBe(text)
  })
})
