import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { NIGHTLY, PUBLIC_URL, startTestApi, type TestApi } from '../../test/api-fixture.ts'
import { Job } from '../named-schemas.ts'

let api: TestApi
beforeAll(async () => {
  api = await startTestApi()
})
afterAll(() => api.close())

describe.each(['/v1/jobs', '/v1/schedules'])('PUT %s/{name}', base => {
  const name = base.slice(4)
  const path = `${base}/${name}-put`

  it('creates with 201, the place, an ETag and the next five times', async () => {
    const made = await api.call('PUT', path, { body: NIGHTLY })
    expect(made.status).toBe(201)
    expect(made.headers.get('location')).toBe(path)
    expect(made.headers.get('workly-changed')).toBe('true')
    expect(made.headers.get('etag')).toMatch(/^"[^"]+"$/)
    expect(made.body).toMatchObject({
      name: `${name}-put`,
      cron: '0 3 * * *',
      timezone: 'UTC',
      state: 'active',
    })
    expect(made.body.next_runs).toHaveLength(5)
  })

  it('answers 200 and changes nothing when it is so already', async () => {
    const again = await api.call('PUT', path, { body: NIGHTLY })
    expect(again.status).toBe(200)
    expect(again.headers.get('workly-changed')).toBe('false')
    expect(again.headers.has('location')).toBe(false)
  })

  it('answers 200 and another ETag when something changes', async () => {
    const before = await api.call('GET', path)
    const changed = await api.call('PUT', path, { body: { ...NIGHTLY, max_attempts: 7 } })
    expect(changed.status).toBe(200)
    expect(changed.headers.get('workly-changed')).toBe('true')
    expect(changed.headers.get('etag')).not.toBe(before.headers.get('etag'))
    expect(changed.body.max_attempts).toBe(7)
  })

  it('takes back what GET gave', async () => {
    const got = await api.call('GET', path)
    const again = await api.call('PUT', path, { body: got.text })
    expect(again.status).toBe(200)
    expect(again.headers.get('workly-changed')).toBe('false')
  })

  it('names every offending field at once with 400', async () => {
    const body = { ...NIGHTLY, max_attempts: 0, overlap: 'never', heders: {} }
    const refused = await api.call('PUT', `${base}/-bad`, { body })
    expect(refused.status).toBe(400)
    expect(refused.headers.get('content-type')).toBe('application/problem+json')
    expect(refused.body.type).toBe(`${PUBLIC_URL}/docs/errors#invalid_request`)
    expect(refused.body.code).toBe('invalid_request')
    expect(refused.body.request_id).toBe(refused.headers.get('x-request-id'))
    const fields = refused.body.errors.map((e: { field: string }) => e.field).sort()
    expect(fields).toEqual(['heders', 'max_attempts', 'name', 'overlap'])
    expect(refused.text).toContain('Did you mean headers?')
  })

  it('names what the rules refuse together with what is no setting', async () => {
    const body = { cron: '61 * * * *', url: 'ftp://example.com', timeout_seconds: 0, heders: {} }
    const refused = await api.call('PUT', path, { body })
    const fields = refused.body.errors.map((e: { field: string }) => e.field).sort()
    expect(fields).toEqual(['cron', 'heders', 'timeout_seconds', 'url'])
  })

  it('names what the rules refuse with 400', async () => {
    const refused = await api.call('PUT', path, { body: { cron: '61 * * * *', url: 'http://example.com' } })
    expect(refused.status).toBe(400)
    expect(refused.body.errors.map((e: { field: string }) => e.field).sort()).toEqual(['cron', 'url'])
  })

  it.each([
    ['nothing', '', 'The body is empty. Send a JSON object.'],
    ['a list', '[]', 'The body must be a JSON object.'],
    ['null', 'null', 'The body must be a JSON object.'],
    ['a form', 'cron=1&url=2', 'The body is not JSON: a value was expected at line 1, column 1.'],
  ])('refuses %s as a body with 400', async (_, body, message) => {
    const refused = await api.call('PUT', path, { body })
    expect(refused.status).toBe(400)
    expect(refused.body.errors).toEqual([{ field: '', message }])
  })

  it('refuses a query with 400, since it knows none', async () => {
    const refused = await api.call('PUT', `${path}?dry_run=1`, { body: NIGHTLY })
    expect(refused.status).toBe(400)
    expect(refused.body.errors).toEqual([{ field: 'dry_run', message: 'is not known here.' }])
  })

  it('answers 401 without a key, 403 below write', async () => {
    const none = await api.call('PUT', path, { body: NIGHTLY, key: null })
    expect(none.status).toBe(401)
    expect(none.headers.get('www-authenticate')).toMatch(/^Bearer/)
    const run = await api.call('PUT', path, { body: NIGHTLY, key: api.own.keys.run })
    expect(run.status).toBe(403)
    expect(run.body.detail).toContain('scope write')
  })

  it('answers 412 when If-Match names another version, or a job that is not there', async () => {
    const stale = await api.call('PUT', path, { body: NIGHTLY, headers: { 'If-Match': '"0"' } })
    expect(stale.status).toBe(412)
    expect(stale.body.code).toBe('precondition_failed')
    const absent = await api.call('PUT', `${base}/absent`, { body: NIGHTLY, headers: { 'If-Match': '*' } })
    expect(absent.status).toBe(412)
    const created = await api.call('PUT', path, { body: NIGHTLY, headers: { 'If-None-Match': '*' } })
    expect(created.status).toBe(412)
  })

  it('writes when If-Match names the present version', async () => {
    const got = await api.call('GET', path)
    const headers = { 'If-Match': got.headers.get('etag') ?? '' }
    const put = await api.call('PUT', path, { body: { ...NIGHTLY, description: 'matched' }, headers })
    expect(put.status).toBe(200)
  })

  it('does not touch a job of the same name of another tenant', async () => {
    const made = await api.call('PUT', path, { body: NIGHTLY, key: api.foreign.keys.write })
    expect(made.status).toBe(201)
    const own = await api.call('GET', path)
    expect(own.body.id).not.toBe(made.body.id)
  })

  it('makes jobs named preview and test', async () => {
    for (const word of ['preview', 'test']) {
      const made = await api.call('PUT', `${base}/${word}`, { body: NIGHTLY })
      expect([200, 201]).toContain(made.status)
      expect((await api.call('GET', `${base}/${word}`)).body.name).toBe(word)
    }
  })
})

describe('a payload', () => {
  const exact =
    '{"big":9007199254740993,"precise":1.10,"order":{"z":1,"a":2},"nul":"\\u0000","half":"\\ud800"}'

  it('is kept to the last digit', async () => {
    const path = '/v1/jobs/exact'
    const text = `{"cron": "0 3 * * *", "url": "https://api.example.com/", "payload": ${exact}}`
    const made = await api.call('PUT', path, { body: text })
    expect(made.status).toBe(201)
    const run = await api.call('POST', `${path}/trigger`)
    expect(run.body.request.body).toBe(exact)
    const again = await api.call('PUT', path, { body: text })
    expect(again.headers.get('workly-changed')).toBe('false')
  })

  it('reads back as it was given, so GET then PUT changes nothing', async () => {
    const got = await api.call('GET', '/v1/jobs/exact')
    expect(got.text).toContain('"big":9007199254740993,"precise":1.10')
    const again = await api.call('PUT', '/v1/jobs/exact', { body: got.text })
    expect(again.headers.get('workly-changed')).toBe('false')
  })

  it('outlives a PATCH of something else', async () => {
    await api.call('PATCH', '/v1/jobs/exact', { body: { max_attempts: 5 } })
    const run = await api.call('POST', '/v1/jobs/exact/trigger')
    expect(run.body.request.body).toBe(exact)
  })
})

describe('a pipeline', () => {
  const path = '/v1/jobs/pipeline'
  const body =
    '{"cron": "0 3 * * *", "steps": [{"id": "load", "url": "https://a.example/", "payload": {"big": 9007199254740993}},' +
    ' {"id": "train", "url": "https://b.example/", "headers": {"X-Key": {"secret": "s3cret"}}, "max_attempts": 1}]}'

  it('is created with its steps, and shown as the document has it', async () => {
    const made = await api.call('PUT', path, { body })
    expect(made.status).toBe(201)
    expect(made.body).toMatchObject({
      kind: 'pipeline',
      steps: [{ id: 'load' }, { id: 'train', max_attempts: 1 }],
    })
    expect(made.body.steps[1].headers).toEqual({ 'X-Key': { secret: '••••' } })
    expect(Job.strict().parse(made.body)).toEqual(made.body)
    const listed = await api.call('GET', '/v1/jobs?kind=pipeline')
    expect(listed.body.data.map((job: { name: string }) => job.name)).toEqual(['pipeline'])
  })

  it('reads back as it was given, to the last digit of a payload, so GET then PUT changes nothing', async () => {
    const got = await api.call('GET', path)
    expect(got.text).toContain('"big":9007199254740993')
    const again = await api.call('PUT', path, { body: got.text })
    expect(again.status).toBe(200)
    expect(again.headers.get('workly-changed')).toBe('false')
  })

  it('names each offending field of each step at its place with 400', async () => {
    const steps = [
      { id: 'a b', url: 'https://a.example/' },
      { id: 'c', ulr: 'x' },
    ]
    const refused = await api.call('PUT', path, { body: { cron: '0 3 * * *', steps, max_attempts: 0 } })
    expect(refused.status).toBe(400)
    expect(refused.body.errors.map((e: { field: string }) => e.field).sort()).toEqual([
      'max_attempts',
      'steps[0].id',
      'steps[1].ulr',
      'steps[1].url',
    ])
    expect(refused.text).toContain('Did you mean url?')
    const both = {
      ...NIGHTLY,
      steps: [steps[1], { id: 'c', url: 'ftp://x' }].map(s => ({ ...s, ulr: undefined })),
    }
    const rules = await api.call('PUT', path, { body: both })
    expect(rules.body.errors.map((e: { field: string }) => e.field).sort()).toEqual([
      'steps[0].url',
      'steps[1].id',
      'steps[1].url',
      'url',
    ])
  })
})
