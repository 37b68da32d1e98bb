import { restRequestSchedulationRead } from '@workly/core'
import { setProjectDefaults } from '@workly/services'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { NIGHTLY, PUBLIC_URL, startTestApi, type TestApi } from '../../../test/api-fixture.ts'
import { itIsGuarded } from '../../../test/guards.ts'
import { EXAMPLE_PIPELINE, EXAMPLE_REST_REQUEST } from './scheduler-examples.ts'

let api: TestApi
beforeAll(async () => {
  api = await startTestApi()
})
afterAll(() => api.close())

const ORGANIZATION = '/scheduler/organization/own'
const REST = `${ORGANIZATION}/restRequest`
const PIPELINE = `${ORGANIZATION}/pipeline`

const fields = (body: { errors: { field: string }[] }) => body.errors.map(e => e.field).sort()
const rest = (id: string, more: object = {}) => ({
  id,
  schedule: { cron: { expression: '0 0 2 * * * *' } },
  restRequest: { url: 'https://api.example.com/export' },
  ...more,
})
const step = (id: unknown, more: object = {}) => ({
  id,
  restRequest: { url: `https://api.example.com/${id}` },
  ...more,
})

describe('POST …/restRequest', () => {
  it('creates with 201, in the shape it was sent in', async () => {
    const made = await api.call('POST', REST, { body: EXAMPLE_REST_REQUEST })
    expect(made.status, made.text).toBe(201)
    expect(made.body).toEqual(EXAMPLE_REST_REQUEST)
    expect(restRequestSchedulationRead.strict().parse(made.body)).toEqual(made.body)
  })

  it('makes a job of that name with one attempt, overlap skip and the extended dialect', async () => {
    const job = await api.call('GET', '/v1/jobs/nightly-export')
    expect(job.body).toMatchObject({
      kind: 'http',
      state: 'active',
      cron: '0 0 2 * * * *',
      timezone: 'Europe/Madrid',
      dialect: 'extended',
      from: '2026-12-01T00:00:00Z',
      to: null,
      method: 'POST',
      url: 'https://api.example.com/export',
      headers: { 'x-kind': 'daily' },
      payload: { kind: 'daily' },
      response: { callback: { max_wait_seconds: 600 } },
      timeout_seconds: 30,
      max_attempts: 1,
      overlap: 'skip',
      missed: 'skip',
    })
  })

  it('takes the id of the organization as well as its slug', async () => {
    const path = REST.replace('/own/', `/${api.own.ctx.organizationId}/`)
    expect((await api.call('POST', path, { body: rest('by-id') })).status).toBe(201)
  })

  it('without response is sync with 30 seconds, without a time zone in UTC, without a method a POST', async () => {
    const made = await api.call('POST', REST, { body: rest('plain') })
    expect(made.body).toEqual({
      id: 'plain',
      schedule: { cron: { expression: '0 0 2 * * * *', timeZone: 'UTC' }, executeNow: false },
      restRequest: { method: 'POST', url: 'https://api.example.com/export', headers: {} },
      response: { sync: { timeout: 30 } },
    })
    const job = await api.call('GET', '/v1/jobs/plain')
    expect(job.body).toMatchObject({ response: 'sync', timeout_seconds: 30 })
  })

  it('takes an interval, from and to, and a timeout', async () => {
    const schedule = {
      interval: { minutes: 90 },
      from: '2030-01-01T00:00:00+01:00',
      to: '2031-01-01T00:00:00Z',
    }
    const body = rest('every-90', { schedule, response: { sync: { timeout: 5 } } })
    const made = await api.call('POST', REST, { body })
    expect(made.status, made.text).toBe(201)
    expect(made.body.schedule).toEqual({
      interval: { minutes: 90 },
      executeNow: false,
      from: '2029-12-31T23:00:00Z',
      to: '2031-01-01T00:00:00Z',
    })
    const job = await api.call('GET', '/v1/jobs/every-90')
    expect(job.body).toMatchObject({ interval_minutes: 90, cron: null, timeout_seconds: 5 })
    expect(job.body.next_runs[0]).toBe('2029-12-31T23:00:00Z')
  })

  it.each([
    '0 2 * * *',
    '0 0 2 * * *',
    '0 0 2 ? * MON',
    '0 0 2 1 * ? 2030-2032',
    '30 2 1 1 * 2030',
    '@daily',
  ])('takes the expression %s', async expression => {
    const id = `x-${Buffer.from(expression).toString('hex')}`
    const made = await api.call('POST', REST, { body: rest(id, { schedule: { cron: { expression } } }) })
    expect(made.status, made.text).toBe(201)
    expect(made.body.schedule.cron.expression).toBe(expression)
  })

  it('sends a body that is a string as it is, anything else as JSON, digit for digit', async () => {
    const create = (id: string, body: string) =>
      api.call('POST', REST, {
        body: `{"id": "${id}", "schedule": {"interval": {"minutes": 5}},
          "restRequest": {"url": "https://a.example/", "body": ${body}}}`,
      })
    expect((await create('text', '"a=1&b=2"')).body.restRequest.body).toBe('a=1&b=2')
    expect((await api.call('GET', '/v1/jobs/text')).body).toMatchObject({ body: 'a=1&b=2' })
    expect((await create('digits', '{"n": 9007199254740993, "deep": [1.10]}')).text).toContain(
      '"body":{"n":9007199254740993,"deep":[1.10]}',
    )
    expect((await api.call('GET', '/v1/jobs/digits')).text).toContain('"payload":{"n":9007199254740993')
    expect((await create('nothing', 'null')).body.restRequest.body).toBeNull()
    expect((await api.call('GET', '/v1/jobs/nothing')).body.payload).toBeNull()
  })

  it('keeps a secret header secret', async () => {
    const restRequest = { url: 'https://a.example/', headers: { 'X-Key': { secret: 's3cret' } } }
    const made = await api.call('POST', REST, { body: rest('secret', { restRequest }) })
    expect(made.body.restRequest.headers).toEqual({ 'X-Key': { secret: '••••' } })
    expect(made.text).not.toContain('s3cret')
    const masked = await api.call('POST', REST, { body: { ...made.body, id: 'masked' } })
    expect(masked.status).toBe(400)
    expect(fields(masked.body)).toEqual(['restRequest.headers.X-Key'])
  })

  it('executeNow runs at once, from or not; else nothing does', async () => {
    const runsOf = async (id: string) => (await api.call('GET', `/v1/jobs/${id}/runs`)).body.data
    const schedule = { interval: { minutes: 5 }, executeNow: true, from: '2030-01-01T00:00:00Z' }
    const made = await api.call('POST', REST, { body: rest('now', { schedule }) })
    expect(made.status, made.text).toBe(201)
    expect(await runsOf('now')).toMatchObject([{ trigger: 'execute_now' }])
    expect(await runsOf('plain')).toEqual([])
  })

  it("fills in none of the project's defaults", async () => {
    const owner = { kind: 'user', id: 'usr_x', name: 'x', role: 'owner' } as const
    const defaults = { max_attempts: 9, overlap: 'queue', missed: 'catch_up', timeout_seconds: 77 } as const
    await setProjectDefaults({ ...api.own.ctx, actor: owner }, { ...defaults, timezone: 'Asia/Tokyo' })
    await api.call('POST', REST, { body: rest('own-defaults') })
    expect((await api.call('GET', '/v1/jobs/own-defaults')).body).toMatchObject({
      max_attempts: 1,
      overlap: 'skip',
      missed: 'skip',
      timeout_seconds: 30,
      timezone: 'UTC',
    })
    await api.call('PUT', '/v1/jobs/filled', { body: NIGHTLY })
    expect((await api.call('GET', '/v1/jobs/filled')).body.max_attempts).toBe(9)
    await setProjectDefaults({ ...api.own.ctx, actor: owner }, {})
  })

  it('answers 409 to an id that exists, naming its kind, whichever it is and whoever made it', async () => {
    await api.call('PUT', '/v1/jobs/from-v1', { body: NIGHTLY })
    const steps = [step('a'), step('b')]
    await api.call('POST', PIPELINE, {
      body: { ...rest('piped'), restRequest: undefined, pipeline: { steps } },
    })
    for (const [id, kind] of [
      ['plain', 'a REST request (restRequest)'],
      ['from-v1', 'a REST request (restRequest)'],
      ['piped', 'a pipeline'],
    ] as const) {
      const refused = await api.call('POST', REST, { body: rest(id) })
      expect(refused.status).toBe(409)
      expect(refused.body).toMatchObject({ code: 'conflict', type: `${PUBLIC_URL}/docs/errors#conflict` })
      expect(refused.body.detail).toContain(`"${id}" exists already in this project: it is ${kind}.`)
    }
  })

  it('of ten at once with the same id one makes it, and the others are told 409', async () => {
    const all = await Promise.all(
      Array.from({ length: 10 }, () => api.call('POST', REST, { body: rest('at-once') })),
    )
    expect(all.map(one => one.status).sort()).toEqual([201, ...Array.from({ length: 9 }, () => 409)])
  })

  it('is done once per Idempotency-Key', async () => {
    const headers = { 'Idempotency-Key': 'k-1' }
    const first = await api.call('POST', REST, { body: rest('keyed'), headers })
    const second = await api.call('POST', REST, { body: rest('keyed'), headers })
    expect([first.status, second.status]).toEqual([201, 201])
    expect(second.text).toBe(first.text)
    expect(second.headers.get('idempotent-replayed')).toBe('true')
    expect((await api.call('POST', REST, { body: rest('keyed') })).status).toBe(409)
  })

  it.each([
    [
      'a time zone that is none',
      { cron: { expression: '0 2 * * *', timeZone: 'Mars/X' } },
      'schedule.cron.timeZone',
    ],
    ['an expression that is none', { cron: { expression: '61 * * * *' } }, 'schedule.cron.expression'],
    ['30 February', { cron: { expression: '0 0 30 2 *' } }, 'schedule.cron.expression'],
    ['an expression of a past year', { cron: { expression: '0 0 1 1 * 2020' } }, 'schedule.cron.expression'],
    ['no form of schedule', {}, 'schedule.cron'],
    ['a from that is none', { interval: { minutes: 5 }, from: 'soon' }, 'schedule.from'],
    ['a to that leaves no time', { interval: { minutes: 5 }, to: '2020-01-01T00:00:00Z' }, 'schedule.to'],
    ['an interval of nothing', { interval: { minutes: 0 } }, 'schedule.interval.minutes'],
    ['executeNow that is no truth', { interval: { minutes: 5 }, executeNow: 1 }, 'schedule.executeNow'],
    ['no schedule', undefined, 'schedule'],
    ['a schedule that is a text', '0 2 * * *', 'schedule'],
  ])('refuses %s with 400, naming the field', async (_, schedule, field) => {
    const refused = await api.call('POST', REST, { body: rest('bad', { schedule }) })
    expect(refused.status).toBe(400)
    expect(fields(refused.body)).toEqual([field])
    expect(refused.body.errors[0].message).not.toMatch(/Invalid|_minutes|timezone/)
  })

  it('refuses both forms of schedule, naming both', async () => {
    const schedule = { cron: { expression: '0 2 * * *' }, interval: { minutes: 5 } }
    const refused = await api.call('POST', REST, { body: rest('bad', { schedule }) })
    expect(fields(refused.body)).toEqual(['schedule.cron', 'schedule.interval'])
  })

  it('names every offending field at once, what the shape and what the rules refuse, and the nearest known name', async () => {
    const body = {
      id: '-bad',
      schedule: { cron: { expression: '61 * * * *', timezone: 'UTC' }, from: 'soon', executeNow: 'yes' },
      restRequest: { url: 'ftp://a.example/', headers: { Host: 'x', 'X.Y': 7 }, metod: 'GET' },
      response: { async: { maxTimeToWaitCallback: 0 } },
      sync: true,
    }
    const refused = await api.call('POST', REST, { body })
    expect(refused.status).toBe(400)
    expect(fields(refused.body)).toEqual([
      'id',
      'response.async.maxTimeToWaitCallback',
      'restRequest.headers.Host',
      'restRequest.headers.X.Y',
      'restRequest.metod',
      'restRequest.url',
      'schedule.cron.expression',
      'schedule.cron.timezone',
      'schedule.executeNow',
      'schedule.from',
      'sync',
    ])
    expect(refused.text).toContain('Did you mean method?')
    expect(refused.text).toContain('Did you mean timeZone?')
  })

  it('names the request that is missing, and the address of one without', async () => {
    const none = await api.call('POST', REST, { body: rest('bad', { restRequest: undefined }) })
    expect(fields(none.body)).toEqual(['restRequest'])
    const empty = await api.call('POST', REST, { body: rest('bad', { restRequest: {} }) })
    expect(empty.body.errors).toEqual([
      { field: 'restRequest.url', message: 'is required: the address to call' },
    ])
  })

  it('a rule is told in the words of the body', async () => {
    const restRequest = { method: 'GET', url: 'http://a.example/', body: { kind: 'daily' } }
    const refused = await api.call('POST', REST, { body: rest('bad', { restRequest }) })
    expect(fields(refused.body)).toEqual(['restRequest.body', 'restRequest.url'])
    const quick = { cron: { expression: '*/5 * * * * *' } }
    const often = await api.call('POST', REST, { body: rest('bad', { schedule: quick }) })
    expect(fields(often.body)).toEqual(['schedule.cron.expression'])
  })

  it('a response is sync or async, and one of them', async () => {
    for (const response of [{}, { sync: {}, async: { maxTimeToWaitCallback: 1 } }]) {
      const refused = await api.call('POST', REST, { body: rest('bad', { response }) })
      expect(refused.status).toBe(400)
      expect(refused.body.errors[0].field).toBe('response.sync')
    }
    const missing = await api.call('POST', REST, { body: rest('bad', { response: { async: {} } }) })
    expect(fields(missing.body)).toEqual(['response.async.maxTimeToWaitCallback'])
    const late = await api.call('POST', REST, {
      body: rest('bad', { response: { sync: { timeout: 1801 } } }),
    })
    expect(fields(late.body)).toEqual(['response.sync.timeout'])
  })

  it.each([
    ['nothing', ''],
    ['a list', '[]'],
    ['what is no JSON', 'id=1'],
  ])('refuses %s as a body with 400', async (_, body) => {
    expect((await api.call('POST', REST, { body })).status).toBe(400)
  })

  it('answers 413 to a body over the limit', async () => {
    const body = JSON.stringify(rest('large')) + ' '.repeat(2 * 1024 * 1024)
    expect((await api.call('POST', REST, { body })).status).toBe(413)
  })

  it('answers 404 for an organization that is not the key’s, by slug and by id', async () => {
    for (const other of ['foreign', api.foreign.ctx.organizationId, 'absent', 'OWN', '%00']) {
      const refused = await api.call('POST', REST.replace('/own/', `/${other}/`), { body: rest('elsewhere') })
      expect(refused.status, other).toBe(404)
      expect(refused.body.code).toBe('not_found')
    }
  })

  itIsGuarded({
    api: () => api,
    method: 'POST',
    path: () => REST,
    body: rest('guarded'),
    scope: 'write',
    ofOneThing: true,
  })
})

describe('the rate of requests', () => {
  it('holds for these calls too: 429 with when to come back', async () => {
    const slow = api.another({
      limits: { bytes: 1_000_000, rate: { perSecond: 1, burst: 1 } },
      nowMs: () => 0,
    })
    const ask = (method: string, path: string, body?: object) =>
      slow.request(path, {
        method,
        headers: { Authorization: `Bearer ${api.own.keys.write}` },
        ...(body && { body: JSON.stringify(body) }),
      })
    expect((await ask('GET', REST)).status).toBe(200)
    for (const [method, path, body] of [
      ['POST', REST, rest('too-fast')],
      ['POST', PIPELINE, EXAMPLE_PIPELINE],
      ['GET', REST],
      ['GET', PIPELINE],
      ['DELETE', `${REST}/plain`],
      ['GET', `${ORGANIZATION}/history`],
    ] as const) {
      const refused = await ask(method, path, body)
      expect(refused.status, `${method} ${path}`).toBe(429)
      expect(refused.headers.get('retry-after')).toBe('1')
    }
  })
})
