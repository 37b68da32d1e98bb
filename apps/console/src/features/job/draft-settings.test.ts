import { describe, expect, it } from 'vitest'
import type { HttpDraft } from '#features/target/target-draft.ts'
import type { JobSettings } from '#trpc/router.ts'
import { changedSettings, draftSchedule, givenSettings, readDraft } from './draft-settings.ts'
import { draftOf, emptyDraft, type JobDraft } from './job-draft.ts'

/** A draft whose request is changed in part. */
function withHttp(draft: JobDraft, part: Partial<HttpDraft>): JobDraft {
  return { ...draft, target: { ...draft.target, http: { ...draft.target.http, ...part } } }
}

const draft = withHttp(
  { ...emptyDraft('Europe/Stockholm'), name: 'nightly-report' },
  { url: ' https://api.example.com/reports ' },
)

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
  payload_text: '{"kind":"daily","id":12345678901234567890}',
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

const present = { job }

describe('readDraft', () => {
  it('reads a new job’s form as the API takes it, and says nothing of what is left to the defaults', () => {
    const { settings, issues } = readDraft(
      withHttp({ ...draft, tags: ' reports, finance ,' }, { payload: '{"kind": "daily"}' }),
    )
    expect(issues).toEqual([])
    expect(givenSettings(settings)).toEqual({
      cron: '0 3 * * *',
      timezone: 'Europe/Stockholm',
      dialect: 'standard',
      url: 'https://api.example.com/reports',
      method: 'POST',
      headers: {},
      payload_text: '{"kind": "daily"}',
      response: 'sync',
      description: '',
      tags: ['reports', 'finance'],
    })
  })

  it('names every field that is wrong at once', () => {
    const wrong = withHttp(
      {
        ...draft,
        name: '-x',
        when: 'interval',
        intervalMinutes: 'often',
        retry: { ...draft.retry, maxAttempts: 'many' },
      },
      { url: '', payload: '{', response: 'callback', maxWaitSeconds: '' },
    )
    expect(
      readDraft(wrong)
        .issues.map(issue => issue.field)
        .sort(),
    ).toEqual(['interval_minutes', 'max_attempts', 'name', 'payload', 'response', 'url'])
  })

  it('sends JSON null as a payload, and none where the field is empty or the method has no body', () => {
    expect(givenSettings(readDraft(withHttp(draft, { payload: 'null' })).settings).payload_text).toBe('null')
    expect('payload_text' in readDraft(draft).settings).toBe(false)
    expect('payload_text' in readDraft(withHttp(draft, { method: 'GET', payload: '{}' })).settings).toBe(
      false,
    )
  })

  it('refuses a header that stands twice', () => {
    const header = { key: '1', name: 'X-A', value: '1', isSecret: false, isStored: false }
    const { issues } = readDraft(withHttp(draft, { headers: [header, { ...header, key: '2' }] }))
    expect(issues).toEqual([{ field: 'headers.X-A', message: 'X-A stands twice.' }])
  })
})

describe('draftSchedule', () => {
  it('is one of the three forms', () => {
    expect(draftSchedule({ ...draft, when: 'interval', intervalMinutes: ' 20 ' })).toEqual({
      cron: null,
      interval_minutes: 20,
      at: null,
      timezone: 'Europe/Stockholm',
      dialect: 'standard',
      from: null,
      to: null,
    })
  })

  it('has its dialect and its bounds', () => {
    const bounded = {
      ...draft,
      dialect: 'extended',
      from: ' 2027-01-01T00:00:00Z ',
      to: '2027-02-01T00:00:00Z',
    }
    expect(draftSchedule(bounded as JobDraft)).toMatchObject({
      dialect: 'extended',
      from: '2027-01-01T00:00:00Z',
      to: '2027-02-01T00:00:00Z',
    })
  })

  it('runs at once where that is asked for, and only then says so', () => {
    expect(readDraft({ ...draft, executeNow: true }).settings.execute_now).toBe(true)
    expect('execute_now' in readDraft(draft).settings).toBe(false)
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
    const stored = draftOf(present)
    const headers = stored.target.http.headers.map(h => (h.isSecret ? { ...h, value: 'new' } : h))
    const typed = withHttp(stored, { headers })
    expect(before.headers).toEqual({ 'X-Team': 'finance', Authorization: { secret: '••••' } })
    expect(changedSettings(before, readDraft(typed).settings)).toEqual({
      headers: { 'X-Team': 'finance', Authorization: { secret: 'new' } },
    })
  })

  it('cannot say that a body was taken away', () => {
    expect(
      changedSettings(before, readDraft(withHttp(draftOf(present), { payload: '' })).settings),
    ).toBeNull()
    const text = readDraft(withHttp(draftOf(present), { content: 'text', body: 'a=1' })).settings
    expect(changedSettings(before, text)).toMatchObject({ body: 'a=1' })
  })
})

describe('a container image', () => {
  const { payload_text: _, url: __, method, headers, response, timeout_seconds, ...rest } = job
  const image = {
    name: 'team/report',
    tag: '1.4.0',
    args: ['--day', 'line 1\nline 2'],
    env: { LEVEL: 'debug', TOKEN: { secret: '••••' as const } },
    env_from: [{ secret: 'database', prefix: 'DB_' }, { config_map: 'conf' }],
    timeout_seconds: 600,
    max_wait_seconds: null,
  }
  const stored = draftOf({ job: { ...rest, kind: 'image', image } })

  it('comes back as it was read: nothing has changed', () => {
    const { settings, issues } = readDraft(stored)
    expect(issues).toEqual([])
    expect(settings.image).toEqual(image)
    expect('url' in settings).toBe(false)
  })

  it('needs its name, its tag, the names of its sources, and a wait where it calls back', () => {
    const { issues } = readDraft({
      ...stored,
      target: {
        ...stored.target,
        image: {
          ...stored.target.image,
          name: '',
          tag: ' ',
          end: 'callback',
          maxWaitSeconds: 'long',
          envFrom: [{ key: '1', from: 'config_map', name: '', prefix: '' }],
        },
      },
    })
    expect(issues.map(issue => issue.field).sort()).toEqual([
      'image.env_from[0].config_map',
      'image.max_wait_seconds',
      'image.name',
      'image.tag',
    ])
  })
})

describe('a pipeline', () => {
  const { payload_text: _, url: __, method, headers, response, timeout_seconds, ...rest } = job
  const steps = [
    {
      id: 'extract',
      url: 'https://api.example.com/',
      method: 'POST' as const,
      headers: { Authorization: { secret: '••••' as const } },
      payload_text: '{"id":12345678901234567890}',
      response: { callback: { max_wait_seconds: 60 } },
      timeout_seconds: 30,
      max_attempts: 5,
    },
    {
      id: 'load',
      image: { name: 'a', tag: '1', env: {}, env_from: [], timeout_seconds: 3600, max_wait_seconds: 90 },
    },
  ]
  const stored = draftOf({ job: { ...rest, kind: 'pipeline', steps } })

  it('comes back as it was read, payloads to the last digit and of the retry settings only its own', () => {
    const { settings, issues } = readDraft(stored)
    expect(issues).toEqual([])
    expect(settings.steps?.[0]).toMatchObject({
      ...steps[0],
      payload_text: expect.stringContaining('12345678901234567890'),
    })
    expect(settings.steps?.[1]).toEqual(steps[1])
    expect(changedSettings(settings, readDraft(stored).settings)).toEqual({})
  })

  it('names what is wrong by its step, and an id that stands twice', () => {
    const [first] = stored.steps
    const broken = { ...stored, steps: first ? [first, { ...first, key: '2', kind: 'image' as const }] : [] }
    expect(readDraft(broken).issues.map(issue => issue.field)).toEqual([
      'steps[1].id',
      'steps[1].image.name',
      'steps[1].image.tag',
    ])
  })
})
