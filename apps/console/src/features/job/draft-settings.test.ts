import { describe, expect, it } from 'vitest'
import type { JobSettings } from '#trpc/router.ts'
import { changedSettings, draftSchedule, givenSettings, readDraft } from './draft-settings.ts'
import { draftOf, emptyDraft, type JobDraft } from './job-draft.ts'

const draft: JobDraft = {
  ...emptyDraft('Europe/Stockholm'),
  name: 'nightly-report',
  url: ' https://api.example.com/reports ',
}

const job: JobSettings['job'] = {
  id: 'job_1',
  name: 'nightly-report',
  kind: 'http',
  state: 'active',
  cron: '0 3 * * *',
  interval_minutes: null,
  at: null,
  timezone: 'UTC',
  dialect: 'standard',
  from: null,
  to: null,
  url: 'https://api.example.com/',
  method: 'POST',
  headers: { 'X-Team': 'finance', Authorization: { secret: '••••' } },
  response: 'sync',
  timeout_seconds: 30,
  max_attempts: 3,
  min_backoff_seconds: 5,
  max_backoff_seconds: 300,
  backoff_multiplier: 2,
  retry_on_4xx: false,
  overlap: 'skip',
  missed: 'skip',
  description: '',
  tags: ['a', 'b'],
  next_run_at: null,
  next_runs: [],
  last_run: null,
  warnings: [],
  created_at: '2026-12-01T00:00:00Z',
  updated_at: '2026-12-01T00:00:00Z',
}

const present = { job, payloadText: '{"kind":"daily","id":12345678901234567890}' }

describe('readDraft', () => {
  it('reads a new job’s form as the API takes it, and says nothing of what is left to the defaults', () => {
    const { settings, issues } = readDraft({
      ...draft,
      payload: '{"kind": "daily"}',
      tags: ' reports, finance ,',
    })
    expect(issues).toEqual([])
    expect(givenSettings(settings)).toEqual({
      cron: '0 3 * * *',
      timezone: 'Europe/Stockholm',
      url: 'https://api.example.com/reports',
      method: 'POST',
      headers: {},
      payload_text: '{"kind": "daily"}',
      retry_on_4xx: false,
      description: '',
      tags: ['reports', 'finance'],
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
      maxAttempts: 'many',
    }
    expect(
      readDraft(wrong)
        .issues.map(issue => issue.field)
        .sort(),
    ).toEqual(['interval_minutes', 'max_attempts', 'name', 'payload', 'url'])
  })

  it('sends JSON null as a payload, and none where the field is empty or the method has no body', () => {
    expect(givenSettings(readDraft({ ...draft, payload: 'null' }).settings).payload_text).toBe('null')
    expect('payload_text' in readDraft(draft).settings).toBe(false)
    expect('payload_text' in readDraft({ ...draft, method: 'GET', payload: '{}' }).settings).toBe(false)
  })

  it('refuses a header that stands twice', () => {
    const header = { key: '1', name: 'X-A', value: '1', isSecret: false, isStored: false }
    const { issues } = readDraft({ ...draft, headers: [header, { ...header, key: '2' }] })
    expect(issues).toEqual([{ field: 'headers', message: 'X-A stands twice.' }])
  })
})

describe('draftSchedule', () => {
  it('is one of the three forms', () => {
    expect(draftSchedule({ ...draft, when: 'interval', intervalMinutes: ' 20 ' })).toEqual({
      cron: null,
      interval_minutes: 20,
      at: null,
      timezone: 'Europe/Stockholm',
    })
  })
})

describe('changedSettings', () => {
  it('begin with the payload digit for digit', () => {
    expect(before.payload_text).toContain('12345678901234567890')
  })

  const before = readDraft(draftOf(present)).settings

  it('are none when nothing was touched', () => {
    expect(changedSettings(before, readDraft(draftOf(present)).settings)).toEqual({})
  })

  it('are what was touched, and no more', () => {
    const after = readDraft({
      ...draftOf(present),
      when: 'interval',
      intervalMinutes: '5',
      tags: 'a',
    }).settings
    expect(changedSettings(before, after)).toEqual({ cron: null, interval_minutes: 5, tags: ['a'] })
  })

  it('keep a stored secret by its mask, and replace it by what was typed', () => {
    const typed = draftOf(present)
    typed.headers = typed.headers.map(h => (h.isSecret ? { ...h, value: 'new' } : h))
    expect(before.headers).toEqual({ 'X-Team': 'finance', Authorization: { secret: '••••' } })
    expect(changedSettings(before, readDraft(typed).settings)).toEqual({
      headers: { 'X-Team': 'finance', Authorization: { secret: 'new' } },
    })
  })

  it('cannot say that a body was taken away', () => {
    expect(changedSettings(before, readDraft({ ...draftOf(present), payload: '' }).settings)).toBeNull()
    const text = readDraft({ ...draftOf(present), content: 'text', body: 'a=1' }).settings
    expect(changedSettings(before, text)).toMatchObject({ body: 'a=1' })
  })
})
