import { describe, expect, it } from 'vitest'
import { sortIssues, withoutChanged } from './draft-issues.ts'

describe('sortIssues', () => {
  it('finds the field behind the path, and keeps the others', () => {
    const { byField, others } = sortIssues([
      { field: 'settings.url', message: 'must be https' },
      { field: 'cron', message: 'five fields' },
      { field: 'cron', message: 'second thought' },
      { field: 'headers.Host', message: 'is set by Workly' },
      { field: 'tags[2]', message: 'may not be empty' },
      { field: 'from', message: 'is no instant' },
    ])
    expect(byField).toEqual({
      url: 'must be https',
      cron: 'five fields',
      headers: 'is set by Workly',
      tags: 'may not be empty',
    })
    expect(others).toEqual([{ field: 'from', message: 'is no instant' }])
  })

  it('does not take a field for another that begins alike', () => {
    expect(sortIssues([{ field: 'at_noon', message: 'x' }]).others).toHaveLength(1)
  })
})

describe('withoutChanged', () => {
  it('forgets what was said of a field that was typed anew, and keeps the rest', () => {
    const url = { field: 'settings.url', message: 'must be https' }
    const wait = { field: 'settings.min_backoff_seconds', message: 'from 0 to 86400' }
    const whole = { field: '', message: 'The server cannot be reached.' }

    expect(withoutChanged([url, wait, whole], { url: 'https://a.example' })).toEqual([wait, whole])
    expect(withoutChanged([url, wait, whole], { minBackoffSeconds: '5' })).toEqual([url, whole])
    expect(withoutChanged([url, wait, whole], { name: 'a' })).toEqual([url, wait, whole])
  })
})
