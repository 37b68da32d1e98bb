import { describe, expect, it } from 'vitest'
import { draftSchedule, EMPTY_DRAFT, type JobDraft, readDraft, sortIssues } from './job-draft.ts'

const draft: JobDraft = {
  ...EMPTY_DRAFT,
  name: 'nightly-report',
  timezone: 'Europe/Stockholm',
  url: ' https://api.example.com/reports ',
}

describe('readDraft', () => {
  it('reads a filled form as the API takes it', () => {
    const { settings, issues } = readDraft({ ...draft, payload: '{"kind": "daily"}' })
    expect(issues).toEqual([])
    expect(settings).toEqual({
      cron: '0 3 * * *',
      timezone: 'Europe/Stockholm',
      url: 'https://api.example.com/reports',
      method: 'POST',
      payload: { kind: 'daily' },
    })
  })

  it('names every field that is wrong at once', () => {
    const wrong = {
      ...draft,
      name: '-x',
      url: '',
      payload: '{',
      when: 'interval' as const,
      intervalMinutes: 'often',
    }
    expect(readDraft(wrong).issues.map(issue => issue.field)).toEqual([
      'name',
      'interval_minutes',
      'url',
      'payload',
    ])
  })

  it('sends JSON null as a payload, and no payload where the field is empty or the method has no body', () => {
    expect(readDraft({ ...draft, payload: 'null' }).settings.payload).toBeNull()
    expect('payload' in readDraft(draft).settings).toBe(false)
    expect('payload' in readDraft({ ...draft, method: 'GET', payload: '{}' }).settings).toBe(false)
  })
})

describe('draftSchedule', () => {
  it('is an interval where that was chosen', () => {
    expect(draftSchedule({ ...draft, when: 'interval', intervalMinutes: ' 20 ' })).toEqual({
      interval_minutes: 20,
      timezone: 'Europe/Stockholm',
    })
  })
})

describe('sortIssues', () => {
  it('finds the field behind the path, and keeps the others', () => {
    const { byField, others } = sortIssues([
      { field: 'settings.url', message: 'must be https' },
      { field: 'cron', message: 'five fields' },
      { field: 'cron', message: 'second thought' },
      { field: 'tags', message: 'twice' },
    ])
    expect(byField).toEqual({ url: 'must be https', cron: 'five fields' })
    expect(others).toEqual([{ field: 'tags', message: 'twice' }])
  })
})
