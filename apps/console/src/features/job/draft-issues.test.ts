import { describe, expect, it } from 'vitest'
import { sortIssues } from './draft-issues.ts'

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
