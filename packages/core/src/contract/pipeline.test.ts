import { describe, expect, it } from 'vitest'
import type { FieldIssue } from '../errors.ts'
import { readWire } from './issues.ts'
import { jobPatch, jobPut } from './job.ts'
import { retryRequest } from './run.ts'

const step = (id: unknown, more: object = {}) => ({ id, url: 'https://target.example/', ...more })

function issuesOf(steps: unknown, more: object = {}): FieldIssue[] {
  try {
    readWire(jobPut, { cron: '0 3 * * *', steps, ...more })
    return []
  } catch (error) {
    return (error as { issues: FieldIssue[] }).issues
  }
}

describe('steps of a job', () => {
  it('are two to fifty', () => {
    const many = (n: number) => Array.from({ length: n }, (_, i) => step(`s${i}`))
    for (const n of [2, 50]) expect(issuesOf(many(n))).toEqual([])
    for (const n of [0, 1, 51])
      expect(issuesOf(many(n))).toEqual([{ field: 'steps', message: '2 to 50 steps' }])
  })

  it.each(['all of them', {}, 3, true])('are a list, and %j is none', steps => {
    expect(issuesOf(steps)).toEqual([{ field: 'steps', message: 'a list of 2 to 50 steps' }])
  })

  it('may be left out or null, which is the same', () => {
    for (const steps of [undefined, null]) expect(issuesOf(steps)).toEqual([])
  })

  it.each(['a', 'A-b_C', '0', `x${'-'.repeat(63)}`])('may have the id %s', id => {
    expect(issuesOf([step(id), step('other')])).toEqual([])
  })

  it.each(['', '-a', '_a', 'a.b', 'a b', 'ä', `x${'y'.repeat(64)}`, 7, null, undefined, 'a\n'])(
    'may not have the id %j',
    id => {
      const [issue, ...others] = issuesOf([step('first'), step(id)])
      expect(issue).toMatchObject({
        field: 'steps[1].id',
        message: expect.stringMatching(/^1 to 64 letters/),
      })
      expect(others).toEqual([])
    },
  )

  it('may each have retry settings, in the ranges of a job', () => {
    const settings = {
      max_attempts: 50,
      min_backoff_seconds: 0,
      max_backoff_seconds: 86_400,
      backoff_multiplier: 1.5,
      retry_on_4xx: true,
    }
    expect(issuesOf([step('a', settings), step('b')])).toEqual([])
    const wrong = { ...settings, max_attempts: 51, backoff_multiplier: 11 }
    expect(issuesOf([step('a'), step('b', wrong)]).map(issue => issue.field)).toEqual([
      'steps[1].max_attempts',
      'steps[1].backoff_multiplier',
    ])
  })

  it('name what is wrong at its place, everything at once, unknown fields with the nearest known one', () => {
    const issues = issuesOf(
      [step('a', { ulr: 'x' }), 'b', step('c', { method: 'FETCH', headers: { 'X-A': 1 }, overlap: 'skip' })],
      { pyload: 1 },
    )
    expect(issues).toEqual(
      expect.arrayContaining([
        { field: 'steps[0].ulr', message: 'is not known here. Did you mean url?' },
        { field: 'steps[1]', message: 'a step: an object' },
        { field: 'steps[2].method', message: expect.stringMatching(/^one of GET/) },
        { field: 'steps[2].headers.X-A', message: expect.any(String) },
        { field: 'steps[2].overlap', message: 'is not known here.' },
        { field: 'pyload', message: 'is not known here. Did you mean payload?' },
      ]),
    )
    expect(issues).toHaveLength(6)
  })

  it('stand in a PATCH too, and take null', () => {
    expect(readWire(jobPatch, { steps: [step('a'), step('b')] }).steps).toHaveLength(2)
    expect(readWire(jobPatch, { steps: null })).toEqual({ steps: null })
  })
})

describe('a retry', () => {
  it('may start from the failed step, and from nowhere else but the first', () => {
    expect(readWire(retryRequest, {})).toEqual({})
    expect(readWire(retryRequest, { from_step: null })).toEqual({ from_step: null })
    expect(readWire(retryRequest, { from_step: 'failed' })).toEqual({ from_step: 'failed' })
    expect(() => readWire(retryRequest, { from_step: 'train' })).toThrow(
      'from_step: "failed", or leave it out',
    )
  })
})
