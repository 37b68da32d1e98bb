import { WorklyError } from '@workly/core'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { callApp, listen, NIGHTLY, startTestApi, type TestApi } from '../test/api-fixture.ts'
import { openAttempt } from '../test/open-attempt.ts'
import { rawBytes } from '../test/raw-call.ts'
import type { Operation } from './operation.ts'
import { OPERATIONS } from './routes/operations.ts'

let api: TestApi
/** The API, with test calls that reach nobody. */
let app: TestApi['app']
let runId: string
let attemptId: string
beforeAll(async () => {
  api = await startTestApi()
  const nobody = () => Promise.reject(new WorklyError('conflict', 'Nobody is called here.'))
  app = api.another({ makeCall: nobody })
  await api.call('PUT', '/v1/jobs/nightly', { body: NIGHTLY })
  runId = (await api.call('POST', '/v1/jobs/nightly/trigger')).body.id
  const waiting = (await api.call('POST', '/v1/jobs/nightly/trigger')).body.id
  attemptId = (await openAttempt(api.own.ctx, waiting)).id
})
afterAll(() => api.close())

const nasty = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom(
    '',
    '\u0000',
    '\ud800',
    '__proto__',
    'constructor',
    "'; drop table jobs; --",
    '%',
    '%00',
    '%ff',
    '..',
    '🕐',
  ),
  fc.constantFrom(
    'nightly',
    '0 3 * * *',
    '@daily',
    'UTC',
    'Europe/Stockholm',
    '2026-12-01T00:00:00Z',
    '*',
    'skip',
  ),
  fc.constantFrom(
    'https://api.example.com/',
    'http://[::1]/',
    'https://user@host/',
    'GET',
    'application/json',
  ),
)

const number = fc.oneof(
  fc.integer(),
  fc.double(),
  fc.constantFrom(0, -0, 1, 60, 1e21, 1e308, -1e308, 2 ** 53, 5e-324),
)
const scalar = fc.oneof(nasty, number, fc.boolean(), fc.constant(null))
const anyJson = fc.letrec(tie => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    scalar,
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(nasty, tie('value'), { maxKeys: 4 }),
  ),
})).value

const FIELDS = [
  'cron',
  'interval_minutes',
  'at',
  'timezone',
  'dialect',
  'from',
  'to',
  'execute_now',
  'url',
  'method',
  'headers',
  'payload',
  'body',
  'content_type',
  'response',
  'timeout_seconds',
  'image',
  'steps',
  'max_attempts',
  'min_backoff_seconds',
  'max_backoff_seconds',
  'backoff_multiplier',
  'retry_on_4xx',
  'overlap',
  'missed',
  'description',
  'tags',
  'after',
  'count',
  'name',
  'id',
  'warnings',
] as const

/** Mostly one of these, now and then anything of its kind. */
const mostly = (good: fc.Arbitrary<unknown>, odd: fc.Arbitrary<unknown> = anyJson) =>
  fc.oneof({ weight: 12, arbitrary: good }, { weight: 1, arbitrary: odd })
const word = fc.oneof(fc.constantFrom('', 'x', '$(A)', '🕐', 'line\nline'), fc.string({ unit: 'grapheme' }))
const variableName = fc.oneof(
  { weight: 12, arbitrary: fc.constantFrom('A', '_b', 'a.b-c', 'constructor', 'toString') },
  { weight: 1, arbitrary: fc.oneof(nasty, fc.constant('callbackUri')) },
)
const variable = fc.oneof(
  word,
  word.map(value => ({ secret: value })),
)
const seconds = fc.oneof(fc.constant(null), fc.integer({ min: 1, max: 604_800 }))
const source = fc.constantFrom(
  { secret: 'db' },
  { config_map: 'a.b', prefix: 'APP_' },
  { secret: 'db', prefix: '' },
)
/** An image that is taken more often than not, with any of its fields. */
const image = fc.record(
  {
    name: mostly(
      fc.constantFrom('team/report', 'a', 'a__b/c.d'),
      fc.oneof(nasty, fc.constantFrom('registry.example.com/report', 'a:1')),
    ),
    tag: mostly(fc.constantFrom('1.4.0', 'latest', '_'), nasty),
    command: mostly(fc.array(word, { minLength: 1, maxLength: 3 })),
    args: mostly(fc.array(word, { minLength: 1, maxLength: 3 })),
    env: mostly(fc.dictionary(variableName, variable, { maxKeys: 3 })),
    env_from: mostly(fc.array(source, { maxLength: 3 })),
    timeout_seconds: mostly(seconds, number),
    max_wait_seconds: mostly(seconds, number),
  },
  { requiredKeys: ['name', 'tag'] },
)
const step = fc.oneof(
  image.map((container): object => ({ image: container })),
  fc.constant<object>({ url: 'https://target.example/', headers: { 'X-A': { secret: 'a' } } }),
)
const steps = fc
  .array(step, { minLength: 2, maxLength: 4 })
  .map(list => list.map((one, i) => ({ id: `step-${i}`, ...one })))

const { url: _, ...WHEN } = NIGHTLY
/** What a job does, good more often than not. */
const target = fc.oneof(
  { weight: 2, arbitrary: fc.constant<object>(NIGHTLY) },
  { weight: 2, arbitrary: image.map((container): object => ({ ...WHEN, image: container })) },
  { weight: 1, arbitrary: steps.map((list): object => ({ ...WHEN, steps: list })) },
)

/** A body that gets past the shape more often than not: good settings, some of them replaced by anything. */
const settings = fc
  .tuple(
    target,
    fc.oneof(fc.constant({}), fc.dictionary(fc.constantFrom(...FIELDS), anyJson, { maxKeys: 2 })),
  )
  .map(([good, odd]) => JSON.stringify({ ...good, ...odd }))

/** The fields that an operation's body has by its schema, and those of its example. */
function fieldsOf({ body }: Operation): string[] {
  const shape = (body?.schema as { shape?: object } | undefined)?.shape ?? {}
  return [
    ...new Set([...Object.keys(shape), ...Object.keys(Object(body?.example)), 'unknown', 'constructor']),
  ]
}

/** The operation's own example, a field or a field within one replaced by anything. */
const examplesOf = (op: Operation) =>
  fc
    .tuple(
      fc.constantFrom(...fieldsOf(op)),
      fc.option(fc.constantFrom(...FIELDS, 'id', 'secret', '0')),
      anyJson,
    )
    .map(([field, inner, value]) => {
      const example: Record<string, unknown> = { ...Object(op.body?.example) }
      const held = Object(example[field])
      example[field] = inner === null ? value : { ...held, [inner]: value }
      return JSON.stringify(example)
    })

const bodyFor = (op: Operation | null) =>
  fc.oneof(
    { weight: 4, arbitrary: op ? examplesOf(op) : settings },
    { weight: 2, arbitrary: settings },
    {
      weight: 1,
      arbitrary: fc.dictionary(fc.constantFrom(...FIELDS), anyJson).map(odd => JSON.stringify(odd)),
    },
    { weight: 1, arbitrary: fc.json() },
    { weight: 1, arbitrary: nasty },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        '{"a":1,"a":2}',
        '['.repeat(5_000),
        '{"payload":1e999}',
        '\ufeff{}',
        '{"url":"\\u0000"}',
        '{"__proto__":{"cron":"* * * * *"}}',
        '{"constructor":{"prototype":{"x":1}}}',
      ),
    },
  )

const segment = fc.oneof(
  fc.constantFrom(
    'v1',
    'jobs',
    'schedules',
    'runs',
    'nightly',
    'preview',
    'trigger',
    'pause',
    'resume',
    'retry',
    'cancel',
  ),
  nasty.map(text => encodeURIComponent(text.toWellFormed())),
)
const method = fc.constantFrom(
  'GET',
  'HEAD',
  'PUT',
  'PATCH',
  'POST',
  'DELETE',
  'OPTIONS',
  'PROPFIND',
  'QUERY',
)
const anywhere = fc.tuple(
  method,
  fc.array(segment, { maxLength: 5 }).map(parts => `/${parts.join('/')}`),
)
/** What is there, or anything, in place of a part of a path. */
function partOf(name: string) {
  const there: Record<string, string[]> = {
    name: ['nightly', 'new'],
    id: ['RUN', 'nightly'],
    executionId: ['RUN'],
    attempt: ['ATTEMPT'],
    token: ['-', 'A'.repeat(43)],
    organizationId: ['own'],
  }
  const known = there[name] ?? ['nightly']
  return fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...known) }, { weight: 1, arbitrary: segment })
}

/** A call that exists, read from the API itself. */
const known = fc.constantFrom(...OPERATIONS).chain(op => {
  const names = [...op.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
  return fc.tuple(fc.tuple(...names.map(partOf)), bodyFor(op)).map(([parts, text]) => {
    let i = 0
    const path = op.path.replace(/\{\w+\}/g, () => parts[i++] ?? '')
    return { verb: op.method.toUpperCase(), path, text }
  })
})
const call = fc.oneof(
  { weight: 5, arbitrary: known },
  {
    weight: 1,
    arbitrary: fc.tuple(anywhere, bodyFor(null)).map(([[verb, path], text]) => ({ verb, path, text })),
  },
)
const query = fc.dictionary(
  fc.oneof(
    fc.constantFrom('state', 'kind', 'search', 'tag', 'limit', 'cursor', 'job', 'trigger', 'from', 'to'),
    nasty,
  ),
  fc.oneof(
    nasty,
    fc.constantFrom('1', '200', 'active', 'pending', 'http'),
    fc.json().map(text => Buffer.from(text).toString('base64url')),
  ),
  { maxKeys: 2 },
)
const headerText = fc.string({ unit: fc.constantFrom(...' !"*,-/0;=?W[]_abz~é') })
const headers = fc.dictionary(
  fc.constantFrom(
    'If-Match',
    'If-None-Match',
    'Content-Type',
    'X-Request-Id',
    'Accept',
    'Idempotency-Key',
    'Origin',
    'Range',
    'Content-Encoding',
  ),
  headerText,
  { maxKeys: 2 },
)

it('answers anything with a status below 500, errors as problem documents', async () => {
  await fc.assert(
    fc.asyncProperty(call, query, headers, async ({ verb, path, text }, ask, given) => {
      api.log.length = 0
      const search = new URLSearchParams(
        Object.entries(ask).map(([k, v]): [string, string] => [k.toWellFormed(), v.toWellFormed()]),
      )
      const where = path.replace('RUN', runId).replace('ATTEMPT', attemptId)
      const full = `${where}${search.size > 0 ? `?${search}` : ''}`
      const hasBody = verb !== 'GET' && verb !== 'HEAD'
      const answer = await callApp(app, verb, full, {
        key: api.own.keys.write,
        headers: given,
        ...(hasBody && { body: text }),
      })
      expect(answer.status, `${verb} ${full} ${text} ${api.log.join('')}`).toBeLessThan(500)
      expect(answer.headers.get('x-request-id')).toBeTruthy()
      if (answer.status >= 400 && verb !== 'HEAD') {
        expect(answer.headers.get('content-type')).toBe('application/problem+json')
        expect(answer.body.status).toBe(answer.status)
      }
      if (answer.status === 400) expect(answer.body.detail).not.toBe('')
    }),
    { numRuns: 600, endOnFailure: true },
  )
})

it('answers any settings of a job with a status below 500, and what it took can be read and put again', async () => {
  await fc.assert(
    fc.asyncProperty(settings, async text => {
      const put = await api.call('PUT', '/v1/jobs/fuzz', { body: text })
      expect([200, 201, 400], `${text} ${api.log.join('')}`).toContain(put.status)
      if (put.status === 400) return
      const got = await api.call('GET', '/v1/jobs/fuzz')
      expect(got.status).toBe(200)
      const again = await api.call('PUT', '/v1/jobs/fuzz', { body: got.text })
      expect([again.status, again.headers.get('workly-changed')], got.text).toEqual([200, 'false'])
      expect((await api.call('PATCH', '/v1/jobs/fuzz', { body: {} })).headers.get('workly-changed')).toBe(
        'false',
      )
    }),
    { numRuns: 150, endOnFailure: true },
  )
})

it('survives any bytes on its socket', async () => {
  const server = await listen(api.app)
  const start = fc.constantFrom(
    'GET /v1/jobs HTTP/1.1\r\nHost: x\r\n',
    'PUT /v1/jobs/a HTTP/1.1\r\nHost: x\r\n',
    '',
  )
  await fc.assert(
    fc.asyncProperty(start, fc.string({ unit: 'binary' }), async (head, rest) => {
      const answer = await rawBytes(server.port, `${head}${rest}\r\nConnection: close\r\n\r\n`, '\r\n\r\n')
      expect(answer).not.toMatch(/^HTTP\/1\.1 5/)
    }),
    { numRuns: 50, endOnFailure: true },
  )
  expect((await fetch(`${server.url}/healthz`)).status).toBe(200)
  await server.close()
})
