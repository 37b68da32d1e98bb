import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { EARLIEST_MS, formatInstant, LATEST_MS, parseInstant } from './instant.ts'

describe('parseInstant', () => {
  it.each([
    ['2026-12-01T02:00:00Z', '2026-12-01T02:00:00.000Z'],
    ['2026-12-01t02:00:00z', '2026-12-01T02:00:00.000Z'],
    ['2026-12-01T02:00:00.5Z', '2026-12-01T02:00:00.500Z'],
    ['2026-12-01T02:00:00.123000Z', '2026-12-01T02:00:00.123Z'],
    ['2026-12-01T02:00:00+05:45', '2026-11-30T20:15:00.000Z'],
    ['2026-12-01T02:00:00-00:00', '2026-12-01T02:00:00.000Z'],
    ['2024-02-29T23:59:59.999-23:59', '2024-03-01T23:58:59.999Z'],
    ['1970-01-01T01:00:00+01:00', '1970-01-01T00:00:00.000Z'],
    ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
  ])('reads %s', (text, expected) => {
    expect(parseInstant(text)).toBe(Date.parse(expected))
  })

  it.each([
    ['no offset', '2026-12-01T02:00:00'],
    ['a date alone', '2026-12-01'],
    ['no seconds', '2026-12-01T02:00Z'],
    ['a space for the T', '2026-12-01 02:00:00Z'],
    ['finer than a millisecond', '2026-12-01T02:00:00.1234Z'],
    ['an empty fraction', '2026-12-01T02:00:00.Z'],
    ['30 February', '2026-02-30T02:00:00Z'],
    ['29 February of no leap year', '2026-02-29T02:00:00Z'],
    ['month 13', '2026-13-01T02:00:00Z'],
    ['month 0', '2026-00-01T02:00:00Z'],
    ['hour 24', '2026-12-01T24:00:00Z'],
    ['a leap second', '2026-12-31T23:59:60Z'],
    ['an offset of 24 hours', '2026-12-01T02:00:00+24:00'],
    ['an offset of 60 minutes', '2026-12-01T02:00:00+01:60'],
    ['an offset without colon', '2026-12-01T02:00:00+0100'],
    ['a zone name', '2026-12-01T02:00:00[Europe/Stockholm]'],
    ['five digits of year', '12026-12-01T02:00:00Z'],
    ['a sign of year', '+002026-12-01T02:00:00Z'],
    ['before 1970', '1969-12-31T23:59:59.999Z'],
    ['before 1970 by its offset', '1970-01-01T00:00:00+00:01'],
    ['after 9999 by its offset', '9999-12-31T23:59:59-00:01'],
    ['year 26', '0026-12-01T02:00:00Z'],
    ['Arabic digits', '٢٠٢٦-12-01T02:00:00Z'],
    ['a line after it', '2026-12-01T02:00:00Z\n'],
    ['NUL', '2026-12-01T02:00:00Z\0'],
    ['a word', 'tomorrow'],
    ['nothing', ''],
  ])('refuses %s', (_why, text) => {
    expect(parseInstant(text)).toBeNull()
  })

  it('reads back whatever formatInstant writes', () => {
    fc.assert(
      fc.property(fc.integer({ min: EARLIEST_MS, max: LATEST_MS }), ms => {
        expect(parseInstant(formatInstant(ms))).toBe(ms)
      }),
    )
  })
})

describe('formatInstant', () => {
  it('writes milliseconds only where there are any', () => {
    expect(formatInstant(0)).toBe('1970-01-01T00:00:00Z')
    expect(formatInstant(250)).toBe('1970-01-01T00:00:00.250Z')
  })
})
