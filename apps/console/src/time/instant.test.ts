import { describe, expect, it } from 'vitest'
import { formatInstant, formatInstantWithOffset, formatOffset, formatShort, isKnownZone } from './instant.ts'

const at = Date.parse('2026-12-01T02:00:07.500Z')

describe('formatInstant', () => {
  it('reads on the clocks of the zone', () => {
    expect(formatInstant(at, 'Europe/Stockholm')).toBe('Tue 1 Dec 2026, 03:00:07')
    expect(formatInstant(at, 'America/Los_Angeles')).toBe('Mon 30 Nov 2026, 18:00:07')
    expect(formatInstant(at, 'UTC')).toBe('Tue 1 Dec 2026, 02:00:07')
  })

  it('writes midnight as 00', () => {
    expect(formatInstant(Date.parse('2026-06-30T22:00:00Z'), 'Europe/Stockholm')).toBe(
      'Wed 1 Jul 2026, 00:00:00',
    )
  })

  it('adds the offset where asked', () => {
    expect(formatInstantWithOffset(at, 'Europe/Stockholm')).toBe('Tue 1 Dec 2026, 03:00:07 UTC+1')
  })
})

describe('formatOffset', () => {
  it.each([
    ['UTC', 'UTC'],
    ['Europe/Stockholm', 'UTC+1'],
    ['Asia/Kolkata', 'UTC+5:30'],
    ['America/St_Johns', 'UTC−3:30'],
    ['Pacific/Kiritimati', 'UTC+14'],
  ])('of %s is %s in December', (zone, offset) => {
    expect(formatOffset(at, zone)).toBe(offset)
  })

  it('tells the two passes of a repeated hour apart', () => {
    expect(formatOffset(Date.parse('2026-10-25T00:30:00Z'), 'Europe/Stockholm')).toBe('UTC+2')
    expect(formatOffset(Date.parse('2026-10-25T01:30:00Z'), 'Europe/Stockholm')).toBe('UTC+1')
  })
})

describe('formatShort', () => {
  it('leaves out the year of now', () => {
    expect(formatShort(at, 'UTC', at)).toBe('1 Dec 02:00:07')
    expect(formatShort(at, 'UTC', Date.parse('2027-01-05T00:00:00Z'))).toBe('1 Dec 2026 02:00:07')
  })
})

describe('isKnownZone', () => {
  it('takes IANA names and refuses others', () => {
    expect(isKnownZone('Europe/Stockholm')).toBe(true)
    expect(isKnownZone('Mars/Olympus')).toBe(false)
    expect(isKnownZone('')).toBe(false)
  })
})
