import { describe, expect, it } from 'vitest'
import type { FieldIssue } from '../errors.ts'
import { readWire } from './issues.ts'
import { jobPatch, jobPut } from './job.ts'

const DAILY = { cron: '0 3 * * *', url: 'https://api.example.com/nightly' }

function issuesOf(schema: typeof jobPut | typeof jobPatch, input: object): FieldIssue[] {
  try {
    readWire(schema, input)
    return []
  } catch (error) {
    return (error as { issues: FieldIssue[] }).issues
  }
}

// As spec section 4 has them.
const RANGES = [
  ['timeout_seconds', 1, 1_800],
  ['max_attempts', 1, 50],
  ['min_backoff_seconds', 0, 86_400],
  ['max_backoff_seconds', 0, 86_400],
  ['backoff_multiplier', 1, 10],
] as const

describe.each([
  ['PUT', jobPut, DAILY],
  ['PATCH', jobPatch, {}],
] as const)('a setting of a %s', (_, schema, rest) => {
  it.each(RANGES)('%s is taken from %d to %d, and refused beyond, the range named', (field, least, most) => {
    for (const value of [least, most]) expect(issuesOf(schema, { ...rest, [field]: value })).toEqual([])
    for (const value of [least - 1, most + 1]) {
      const [issue, ...others] = issuesOf(schema, { ...rest, [field]: value })
      expect(others).toEqual([])
      expect(issue?.field).toBe(field)
      expect(issue?.message).toMatch(new RegExp(`\\b${least} to ${most}$`))
    }
  })

  it('max_wait_seconds of a callback is required, and from 1 to 604800', () => {
    const waits = (callback: object) => issuesOf(schema, { ...rest, response: { callback } })
    for (const max_wait_seconds of [1, 604_800]) expect(waits({ max_wait_seconds })).toEqual([])
    for (const callback of [{}, { max_wait_seconds: 0 }, { max_wait_seconds: 604_801 }]) {
      const issues = waits(callback)
      expect(issues.length).toBeGreaterThan(0)
      for (const issue of issues) expect(issue.field).toMatch(/^response/)
      expect(issues.map(issue => issue.message).join(' ')).toMatch(/\b1 to 604800\b/)
    }
  })

  it('overlap and missed are one of what there is, which is named', () => {
    for (const overlap of ['skip', 'queue', 'allow'])
      expect(issuesOf(schema, { ...rest, overlap })).toEqual([])
    for (const missed of ['skip', 'catch_up']) expect(issuesOf(schema, { ...rest, missed })).toEqual([])
    const issues = issuesOf(schema, { ...rest, overlap: 'never', missed: 'always' })
    expect(issues.map(issue => issue.field).sort()).toEqual(['missed', 'overlap'])
    for (const issue of issues) expect(issue.message).toMatch(/skip/)
  })
})
