import { describe, expect, it } from 'vitest'
import { errorAt, errorOf, errorOfName, pathsOf, sortIssues, withoutChanged } from './draft-issues.ts'

describe('sortIssues', () => {
  it('finds the field behind the path of the console’s own call, and keeps the others', () => {
    const { shown, others } = sortIssues(
      [
        { field: 'settings.url', message: 'must be https' },
        { field: 'patch.payload_text', message: 'too long' },
        { field: 'headers.Host', message: 'is set by Workly' },
        { field: 'tags[2]', message: 'may not be empty' },
        { field: 'from', message: 'is no instant' },
        { field: 'kind', message: 'is not known here' },
      ],
      'http',
    )
    expect(shown.map(issue => issue.field)).toEqual(['url', 'payload', 'headers.Host', 'tags[2]', 'from'])
    expect(others).toEqual([{ field: 'kind', message: 'is not known here' }])
  })

  it('tells above the form what is said of a target that the form does not show', () => {
    const issues = [
      { field: 'url', message: 'is required' },
      { field: 'steps[1].payload_text', message: 'is not JSON' },
      { field: 'image.tag', message: 'is required' },
    ]
    expect(sortIssues(issues, 'pipeline').shown.map(issue => issue.field)).toEqual(['steps[1].payload'])
    expect(sortIssues(issues, 'image').shown.map(issue => issue.field)).toEqual(['image.tag'])
    expect(sortIssues(issues, 'http').others).toHaveLength(2)
  })

  it('does not take a field for another that begins alike', () => {
    expect(sortIssues([{ field: 'at_noon', message: 'x' }], 'http').others).toHaveLength(1)
  })
})

describe('what is wrong with a field', () => {
  const errors = [
    { field: 'steps[0].image.env_from[0].prefix', message: 'no prefix' },
    { field: 'headers.X.A.secret', message: 'no such secret' },
    { field: 'steps', message: '2 to 50 steps' },
    { field: 'steps[10].url', message: 'must be https' },
  ]

  it('is told at its own place', () => {
    expect(errorOf(errors, 'steps[0].image.env_from[0].prefix')).toBe('no prefix')
    expect(errorOf(errors, 'steps[0].image.env_from[0]')).toBeUndefined()
    expect(errorAt(errors, 'steps[0]')).toBe('no prefix')
    expect(errorAt(errors, 'steps[1]')).toBeUndefined()
  })

  it('is told at the row of a header whose name holds a dot', () => {
    expect(errorOfName(errors, 'headers', 'X.A')).toBe('no such secret')
    expect(errorOfName(errors, 'headers', '')).toBeUndefined()
  })
})

describe('withoutChanged', () => {
  const url = { field: 'settings.url', message: 'must be https' }
  const wait = { field: 'settings.min_backoff_seconds', message: 'from 0 to 86400' }
  const step = { field: 'settings.steps[1].response', message: '1 to 604800' }
  const whole = { field: '', message: 'The server cannot be reached.' }
  const all = [url, wait, step, whole]

  it('forgets what was said of a field that was typed anew, and keeps the rest', () => {
    expect(withoutChanged(all, pathsOf('', { url: 'https://a.example' }))).toEqual([wait, step, whole])
    expect(withoutChanged(all, pathsOf('', { minBackoffSeconds: '5' }))).toEqual([url, step, whole])
    expect(withoutChanged(all, pathsOf('', { name: 'a' }))).toEqual(all)
  })

  it('knows the step that was typed in, and a request’s wait as a part of its response', () => {
    expect(withoutChanged(all, pathsOf('steps[0].', { maxWaitSeconds: '5' }, true))).toEqual(all)
    expect(withoutChanged(all, pathsOf('steps[1].', { maxWaitSeconds: '5' }, true))).toEqual([
      url,
      wait,
      whole,
    ])
    expect(withoutChanged(all, ['steps'])).toEqual([url, wait, whole])
  })

  it('forgets what was said of a target when another kind is chosen', () => {
    expect(withoutChanged(all, pathsOf('', { kind: 'image' }))).toEqual([wait, whole])
  })
})
