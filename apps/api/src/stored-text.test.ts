import { WorklyError } from '@workly/core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { callApp, NIGHTLY, startTestApi, type TestApi } from '../test/api-fixture.ts'
import type { Operation } from './operation.ts'
import { OPERATIONS } from './routes/operations.ts'

// PostgreSQL holds no NUL, and UTF-8 no half of a surrogate pair. Whatever text of a request could come to be stored is
// refused with its field's name; the fields are read from the API's own schemas.

let api: TestApi
let app: TestApi['app']
beforeAll(async () => {
  api = await startTestApi()
  const nobody = () => Promise.reject(new WorklyError('conflict', 'Nobody is called here.'))
  app = api.another({ makeCall: nobody })
  await api.call('PUT', '/v1/jobs/nightly', { body: NIGHTLY })
})
afterAll(() => api.close())

/** Sent back by those who read a job and put it again, and never stored. */
const READ_ONLY = [
  'id',
  'name',
  'kind',
  'state',
  'next_run_at',
  'next_runs',
  'last_run',
  'created_at',
  'updated_at',
  'warnings',
]
/** What a target receives is the customer's own: any JSON, as its text. */
const ANYTHING = ['payload', 'body']

const send = (op: Operation, path: string, body?: unknown) =>
  callApp(app, op.method.toUpperCase(), path, { key: api.own.keys.write, body })

function pathOf(op: Operation, odd?: string): string {
  const there: Record<string, string> = { organizationId: 'own', name: 'nightly', id: 'nightly' }
  return op.path.replace(/\{(\w+)\}/g, (_all, part) => odd ?? there[part] ?? 'run_00000000000000000000000000')
}

const ODD = ['a\u0000b', '\u0000', 'a\ud800', '\udc00']
const withBody = OPERATIONS.filter(op => op.body).map((op): [string, Operation] => [
  `${op.method.toUpperCase()} ${op.path}`,
  op,
])

describe('text that cannot be stored', () => {
  it.each(withBody)('%s names each field that holds it', async (_, op) => {
    const shape = (op.body?.schema as { shape?: object } | undefined)?.shape ?? {}
    for (const field of Object.keys(shape)) {
      if (READ_ONLY.includes(field) && op.path.startsWith('/v1/')) continue
      for (const text of ODD) {
        const answer = await send(op, pathOf(op), { ...Object(op.body?.example), [field]: text })
        expect(answer.status, `${field} ${answer.text}`).toBeLessThan(500)
        if (ANYTHING.includes(field)) continue
        const named = answer.body.errors?.map((issue: { field: string }) => issue.field) ?? []
        expect(answer.status, `${field} ${answer.text}`).toBe(400)
        expect(
          named.some((name: string) => name === field || name.startsWith(`${field}.`)),
          answer.text,
        ).toBe(true)
      }
    }
  })

  it.each([
    ['headers.x', { headers: { x: 'a\u0000b' } }],
    ['headers.x.secret', { headers: { x: { secret: 'a\u0000b' } } }],
    ['headers.x.secret', { headers: { x: { secret: 'a\ud800' } } }],
    ['headers.a\u0000b', { headers: { 'a\u0000b': 'x' } }],
    ['tags', { tags: ['a\u0000b'] }],
    ['tags', { tags: ['a\ud800'] }],
    ['description', { description: 'a\u0000b' }],
    ['body', { body: 'a\ud800' }],
  ])('within %s it is refused', async (field, settings) => {
    const answer = await api.call('PUT', '/v1/jobs/odd', { body: { ...NIGHTLY, ...settings } })
    expect(answer.status, answer.text).toBe(400)
    const [first] = answer.body.errors
    expect(`${first.field} ${first.message}`).toContain(field.split('.')[0] ?? '')
  })

  it('in a payload it is kept as it was sent, and read back so', async () => {
    const body = '{"cron":"0 3 * * *","url":"https://api.example.com/","payload":{"a\\u0000":"b\\u0000c"}}'
    const put = await api.call('PUT', '/v1/jobs/nul', { body })
    expect([201, 400]).toContain(put.status)
    if (put.status === 400) expect(put.body.errors[0].field).toMatch(/^payload/)
    else expect((await api.call('GET', '/v1/jobs/nul')).body.payload).toEqual({ 'a\u0000': 'b\u0000c' })
  })

  it.each(
    OPERATIONS.filter(op => op.path.includes('{')).map((op): [string, Operation] => [
      `${op.method.toUpperCase()} ${op.path}`,
      op,
    ]),
  )('%s with it in its path is not found or not valid', async (_, op) => {
    for (const odd of ['%00', 'a%00b', '%ED%A0%80', '%ff', '__proto__', 'a'.repeat(10_000), '%F0%9F%95%90']) {
      const answer = await send(op, pathOf(op, odd), op.body?.example)
      expect([400, 404], `${odd.slice(0, 20)} ${answer.text}`).toContain(answer.status)
    }
  })

  it.each(
    OPERATIONS.filter(op => op.query).map((op): [string, Operation] => [
      `${op.method.toUpperCase()} ${op.path}`,
      op,
    ]),
  )('%s names each part of its query that holds it, or is far too long', async (_, op) => {
    for (const field of Object.keys(op.query?.shape ?? {})) {
      for (const odd of ['%00', 'a%00b', 'x'.repeat(5_000), '9'.repeat(400), '-1', '1e999']) {
        const answer = await send(op, `${pathOf(op)}?${field}=${odd}`)
        // A search or a name may be any short text.
        const fits = odd === '-1' || odd === '1e999' || (odd.length === 400 && field === 'cursor')
        if (fits) expect(answer.status, answer.text).toBeLessThan(500)
        else expect(answer.status, `${field}=${odd.slice(0, 10)} ${answer.text}`).toBe(400)
        if (answer.status === 400) expect(answer.body.errors[0].field).toBe(field)
      }
    }
  })

  it('an organization’s name with NUL in it is not that organization', async () => {
    const path = (organization: string) => `/scheduler/organization/${organization}/restRequest`
    expect((await api.call('GET', path('own'))).status).toBe(200)
    for (const odd of ['own%00', '%00own', 'o%00wn'])
      expect((await api.call('GET', path(odd))).status).toBe(404)
  })

  it('cursors of any making are refused or lead nowhere', async () => {
    const made = [
      ['\u0000', 'a'],
      ['\ud800', 'a'],
      ['2026-01-01T00:00:00Z', '\u0000'],
      ['2026-01-01T00:00:00Z', '\ud800'],
      ['999999-01-01T00:00:00Z', 'a'],
      ['-271821-04-20T00:00:00Z', 'a'],
      ['2026-01-01T00:00:00Z', 'x'.repeat(500)],
      ['infinity', 'a'],
      ['a'],
      [],
      { length: 2 },
      null,
      ['a', 'b', 'c'],
    ]
    for (const path of ['/v1/jobs', '/v1/runs', '/v1/jobs/nightly/runs', '/v1/jobs/nightly/times']) {
      for (const parts of made) {
        const cursor = Buffer.from(JSON.stringify(parts)).toString('base64url')
        const answer = await api.call('GET', `${path}?cursor=${cursor}`)
        expect([200, 400], `${path} ${JSON.stringify(parts)} ${answer.text}`).toContain(answer.status)
      }
    }
  })
})

describe('JSON that means two things', () => {
  it.each([
    ['{"cron":"0 3 * * *","cron":"* * * * *"}', 'cron'],
    ['{"headers":{"a":"1","a":"2"}}', 'headers.a'],
    ['{"payload":{"a":1,"a":2}}', 'payload.a'],
    ['{"payload":[{"a":1,"\\u0061":2}]}', 'payload[0].a'],
    ['{"__proto__":{"cron":"* * * * *"}}', '__proto__'],
    ['{"headers":{"__proto__":"x"}}', 'headers.__proto__'],
    ['{"constructor":{"prototype":{}}}', 'constructor'],
    ['{"toString":"x"}', 'toString'],
  ])('%s is refused, naming %s', async (body, field) => {
    const answer = await api.call('PUT', '/v1/jobs/two', { body })
    expect(answer.status).toBe(400)
    expect(answer.body.errors.map((issue: { field: string }) => issue.field)).toContain(field)
  })

  it('keeps a payload’s __proto__ and constructor as data', async () => {
    const body =
      '{"cron":"0 3 * * *","url":"https://api.example.com/","payload":{"__proto__":{"x":1},"constructor":2}}'
    expect((await api.call('PUT', '/v1/jobs/proto', { body })).status).toBe(201)
    expect((await api.call('GET', '/v1/jobs/proto')).text).toContain(
      '"payload":{"__proto__":{"x":1},"constructor":2}',
    )
    expect(({} as { x?: number }).x).toBeUndefined()
  })

  it('a megabyte of nesting is refused at once', async () => {
    for (const open of ['[', '{"a":', '[{"a":']) {
      const body = `{"payload":${open.repeat(Math.floor(1_000_000 / open.length))}`
      const answer = await api.call('PUT', '/v1/jobs/deep', { body })
      expect(answer.status).toBe(400)
      expect(answer.body.errors[0].message).toContain('levels deep')
    }
  })

  it.each(['1e400', `1${'0'.repeat(2_000)}`, '-1e400', `0.${'0'.repeat(400)}1`])(
    'a number that nothing holds is refused, naming its field',
    async number => {
      for (const [field, body] of [
        ['max_attempts', `{"max_attempts":${number}}`],
        ['payload.n', `{"payload":{"n":${number}}}`],
      ] as const) {
        const answer = await api.call('PUT', '/v1/jobs/huge', { body })
        expect(answer.status).toBe(400)
        expect(answer.body.errors.map((issue: { field: string }) => issue.field)).toContain(field)
      }
    },
  )
})
