import { describe, expect, it } from 'vitest'
import { findZone } from './time-zone.ts'
import { ZONE_ALIASES } from './zone-aliases.ts'

const found = (name: string) => {
  const zone = findZone(name)
  return 'problem' in zone ? null : zone.name
}
const refused = (name: string) => {
  const zone = findZone(name)
  return 'problem' in zone ? zone : null
}

describe('findZone', () => {
  it('takes every zone of Intl and every other IANA name, and finds an offset in each', () => {
    const names = [...Intl.supportedValuesOf('timeZone'), ...ZONE_ALIASES]
    expect(names.length).toBeGreaterThan(590)
    for (const name of names) {
      const zone = findZone(name)
      if ('problem' in zone) throw new Error(zone.problem)
      expect(zone.name).toBe(name)
      expect(Math.abs(zone.offsets.spanAt(Date.UTC(2026, 0, 1)).offsetMs)).toBeLessThanOrEqual(14 * 3_600_000)
    }
  })

  it.each([
    ['europe/stockholm', 'Europe/Stockholm'],
    ['utc', 'UTC'],
    ['US/EASTERN', 'US/Eastern'],
    ['asia/calcutta', 'Asia/Calcutta'],
    ['est5edt', 'EST5EDT'],
    ['etc/gmt+5', 'Etc/GMT+5'],
    ['america/port-au-prince', 'America/Port-au-Prince'],
  ])('takes %s for %s', (name, spelled) => {
    expect(found(name)).toBe(spelled)
  })

  it('keeps the name of a link and shares the rules of its zone', () => {
    const [link, zone] = [findZone('Asia/Calcutta'), findZone('Asia/Kolkata')]
    expect('offsets' in link && 'offsets' in zone && link.offsets === zone.offsets).toBe(true)
    expect(found('Asia/Calcutta')).toBe('Asia/Calcutta')
  })

  it.each([
    ['+02:00', 'Etc/GMT-2'],
    ['-05:00', 'Etc/GMT+5'],
    ['UTC+2', 'Etc/GMT-2'],
    ['GMT-0530', null],
    ['+00:00', 'UTC'],
    ['+15:00', null],
  ])('refuses the offset %s and offers %s', (name, suggestion) => {
    expect(refused(name)).toMatchObject({ suggestion, problem: expect.stringContaining('is an offset') })
  })

  it.each([
    ['PST', 'America/Los_Angeles'],
    ['IST', 'Asia/Kolkata'],
    ['CEST', 'Europe/Paris'],
    ['Z', 'UTC'],
    ['Stockholm', 'Europe/Stockholm'],
    ['new york', 'America/New_York'],
    ['America/New York', 'America/New_York'],
    ['Europe\\London', 'Europe/London'],
    [' UTC ', 'UTC'],
    ['Europe/Stokholm', 'Europe/Stockholm'],
    ['Amercia/New_York', 'America/New_York'],
  ])('refuses %j and asks whether %s is meant', (name, suggestion) => {
    expect(refused(name)).toEqual({
      suggestion,
      problem: expect.stringContaining(`Did you mean ${suggestion}?`),
    })
  })

  it.each([
    '',
    ' ',
    'Mars/Olympus',
    'SystemV/PST8',
    'systemv/pst8pdt',
    'Factory',
    'localtime',
    'Etc/Unknown',
    'ACT',
    '__proto__',
    'constructor',
    'Europe/Stockholm\0',
    'Europe/../etc/passwd',
    'W. Europe Standard Time',
    'Éurope/Stockholm',
    `Europe/${'x'.repeat(100_000)}`,
  ])('refuses %j', name => {
    expect(refused(name)?.problem).toContain('is not an IANA time zone name')
    expect(refused(name)?.problem.length).toBeLessThan(250)
  })
})

describe('ZONE_ALIASES', () => {
  it('are names that Intl reads and lists under another name', () => {
    const listed = new Set(Intl.supportedValuesOf('timeZone'))
    expect(ZONE_ALIASES.filter(name => listed.has(name))).toEqual([])
    expect(new Set(ZONE_ALIASES).size).toBe(ZONE_ALIASES.length)
  })
})
