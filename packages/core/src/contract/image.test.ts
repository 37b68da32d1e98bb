import { describe, expect, it } from 'vitest'
import type { FieldIssue } from '../errors.ts'
import { readWire } from './issues.ts'
import { jobPatch, jobPut } from './job.ts'
import { testCall } from './test-call.ts'

const GOOD = { name: 'team/report', tag: '1.4.0' }

function issuesOf(image: unknown, more: object = {}): FieldIssue[] {
  try {
    readWire(jobPut, { cron: '0 3 * * *', image, ...more })
    return []
  } catch (error) {
    return (error as { issues: FieldIssue[] }).issues
  }
}

describe('the image of a job', () => {
  it('has a name and a tag, each said to be required', () => {
    expect(issuesOf(GOOD)).toEqual([])
    expect(issuesOf({})).toEqual([
      { field: 'image.name', message: 'is required: the image, such as team/report' },
      { field: 'image.tag', message: 'is required: the tag, such as 1.4.0' },
    ])
    expect(issuesOf({ name: 7, tag: null })).toEqual([
      { field: 'image.name', message: 'a string' },
      { field: 'image.tag', message: 'a string' },
    ])
  })

  it.each(['team/report', ['team/report'], 3, true])('is an object, and %j is none', image => {
    expect(issuesOf(image)).toEqual([
      { field: 'image', message: 'an image: {"name": "team/report", "tag": "1.4.0"}' },
    ])
  })

  it('may be left out or null, which is the same, as may all but its name and tag', () => {
    for (const image of [undefined, null]) expect(issuesOf(image)).toEqual([])
    const nulls = { command: null, args: null, env: null, env_from: null }
    expect(issuesOf({ ...GOOD, ...nulls, timeout_seconds: null, max_wait_seconds: null })).toEqual([])
  })

  it.each(['timeout_seconds', 'max_wait_seconds'])(
    'has a %s of a second to a week, the range named',
    field => {
      for (const value of [1, 604_800]) expect(issuesOf({ ...GOOD, [field]: value })).toEqual([])
      for (const value of [0, 604_801, -1, 1.5, '60', true])
        expect(issuesOf({ ...GOOD, [field]: value }), String(value)).toEqual([
          { field: `image.${field}`, message: 'a whole number from 1 to 604800' },
        ])
    },
  )

  it.each(['command', 'args'])('has a %s of 1 to 500 strings', field => {
    const of = (n: number) => issuesOf({ ...GOOD, [field]: Array.from({ length: n }, () => 'x') })
    for (const n of [1, 500]) expect(of(n)).toEqual([])
    expect(of(0)).toEqual([
      { field: `image.${field}`, message: "at least one string; leave it out for the image's own" },
    ])
    expect(of(501)).toEqual([{ field: `image.${field}`, message: 'at most 500 strings' }])
    expect(issuesOf({ ...GOOD, [field]: '/bin/sh -c x' })).toEqual([
      { field: `image.${field}`, message: 'a list of strings' },
    ])
    expect(issuesOf({ ...GOOD, [field]: ['', 1, 'a\u0000b', 'x'.repeat(32_769)] }).map(i => i.field)).toEqual(
      [`image.${field}[1]`, `image.${field}[2]`, `image.${field}[3]`],
    )
  })

  it('has an environment of strings and secrets', () => {
    const env = { A: '', B: { secret: 's' }, C: 'x'.repeat(32_768) }
    expect(issuesOf({ ...GOOD, env })).toEqual([])
    const form = 'a string, or {"secret": "value"}'
    const bad = [
      ['A', 1, form],
      ['A', null, form],
      ['A', { secret: 1 }, form],
      ['A', {}, form],
      ['A.extra', { secret: 's', extra: 1 }, 'is not known here.'],
      ['A', '\ud800', 'may not hold NUL or half of a surrogate pair'],
      ['A', 'x'.repeat(32_769), 'at most 32768 characters'],
      ['A.secret', { secret: 'x'.repeat(32_769) }, 'at most 32768 characters'],
    ] as const
    for (const [place, value, message] of bad)
      expect(issuesOf({ ...GOOD, env: { A: value } })).toEqual([{ field: `image.env.${place}`, message }])
    for (const env of ['A=B', ['A=B'], 3])
      expect(issuesOf({ ...GOOD, env }).map(i => i.field)).toEqual(['image.env'])
  })

  it('has at most 50 sources of variables', () => {
    const of = (n: number) =>
      issuesOf({ ...GOOD, env_from: Array.from({ length: n }, () => ({ secret: 'db' })) })
    for (const n of [0, 50]) expect(of(n)).toEqual([])
    expect(of(51)).toEqual([{ field: 'image.env_from', message: 'at most 50 sources' }])
    expect(issuesOf({ ...GOOD, env_from: { secret: 'db' } }).map(i => i.field)).toEqual(['image.env_from'])
    expect(issuesOf({ ...GOOD, env_from: ['db', { secret: 1 }] }).map(i => i.field)).toEqual([
      'image.env_from[0]',
      'image.env_from[1].secret',
    ])
  })

  it('names what is wrong at its place, everything at once, unknown fields with the nearest known one', () => {
    const image = {
      ...GOOD,
      nam: 'x',
      comand: [],
      timeout: 5,
      env_from: [{ configMap: 'conf' }],
      max_wait_seconds: 0,
    }
    const expected = [
      { field: 'image.nam', message: 'is not known here. Did you mean name?' },
      { field: 'image.comand', message: 'is not known here. Did you mean command?' },
      { field: 'image.timeout', message: expect.stringMatching(/^is not known here/) },
      { field: 'image.env_from[0].configMap', message: 'is not known here. Did you mean config_map?' },
      { field: 'image.max_wait_seconds', message: 'a whole number from 1 to 604800' },
    ]
    const found = issuesOf(image)
    expect(found).toEqual(expect.arrayContaining(expected))
    expect(found).toHaveLength(expected.length)
    const steps = [
      { id: 'a', url: 'https://target.example/' },
      { id: 'b', image },
    ]
    const inStep = issuesOf(undefined, { steps })
    expect(inStep).toEqual(
      expect.arrayContaining(expected.map(issue => ({ ...issue, field: `steps[1].${issue.field}` }))),
    )
    expect(inStep).toHaveLength(expected.length)
  })

  it('stands in a PATCH too, and takes null', () => {
    expect(readWire(jobPatch, { image: GOOD }).image).toEqual(GOOD)
    expect(readWire(jobPatch, { image: null })).toEqual({ image: null })
  })

  it('is refused in a test call, in words that say what to do', () => {
    expect(readWire(testCall, { image: null })).toEqual({ image: null })
    for (const image of [GOOD, {}, 'team/report'])
      expect(() => readWire(testCall, { image })).toThrow(
        /^image: A test call is one HTTP request;.*run it\.$/,
      )
  })
})
