import type { ErrorCode } from '@workly/core'
import { LIMIT_DEFAULTS, type LimitDefaults } from '@workly/services'
import { untilBlocked } from '@workly/services/testing/pretend-worker'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openApiDocument } from '../src/openapi.ts'
import type { Operation } from '../src/operation.ts'
import { OPERATIONS } from '../src/routes/operations.ts'
import { type Answered, callApp, PUBLIC_URL, startTestApi, type TestApi } from './api-fixture.ts'
import { brokenServices } from './broken-services.ts'

// The status codes of one operation as a table: what is sent, what is answered (spec section 8). A file of
// src/routes/status-codes is such a table, and fails when it leaves out a status that the OpenAPI document declares, or
// shows one that it does not.

/** What a call carries beyond what the table sends with every one. */
export interface Sent {
  /** Parts of the path. */
  params?: Record<string, string>
  /** Behind the question mark. */
  query?: string
  /** Sent as JSON unless it is text; null for none. */
  body?: unknown
  headers?: Record<string, string>
  /** Of the own project unless it is `foreign`, which has every scope; null for none. Another text is sent as it is. */
  key?: string | null
}

/** One line of the table. */
export interface Row extends Sent {
  status: number
  /** In words. */
  sent: string
  /** Of the problem document. */
  code?: ErrorCode
  /** Exactly the fields that its `errors` name, in any order. */
  fields?: string[]
  /** What the problem must say. */
  says?: RegExp
  /** Puts things into the state that the row is about. @returns what the call then carries too */
  given?(site: Site): Promise<Sent | undefined>
  /** The operator's limits for this call. */
  limits?: Partial<LimitDefaults>
  /** The app that is asked, in place of the usual one. */
  app?(site: Site): TestApi['app'] | Promise<TestApi['app']>
  /** Makes the call itself; `send` sends what the row says. @returns the answer that is judged */
  by?(site: Site, send: (more?: Sent) => Promise<Answered>): Promise<Answered>
}

export interface Table extends Sent {
  /** Once, before the first row. @returns what every call carries too */
  given?(site: Site): Promise<Sent | undefined>
  rows: readonly Row[]
}

/** Where a table is tried. */
export interface Site {
  api: TestApi
  op: Operation
  /** `/v1/jobs` or its other name. */
  base: string
}

const document = openApiDocument({ version: '0', publicUrl: PUBLIC_URL })

/** The statuses that the document declares for an operation. */
function declaredOf(op: Operation): number[] {
  const { responses } = document.paths?.[op.path]?.[op.method] ?? {}
  return Object.keys(responses ?? {}).map(Number)
}

/** Tries a table on each of the operations, which are one under several names. */
export function statusCodes(ids: readonly string[], table: Table): void {
  let api: TestApi
  beforeAll(async () => {
    api = await startTestApi()
  })
  afterAll(() => api?.close())

  describe.each(ids)('%s', id => {
    const op = OPERATIONS.find(one => one.id === id)
    if (!op) throw new Error(`There is no operation ${id}.`)
    let site: Site
    let common: Sent
    beforeAll(async () => {
      const base = op.path.startsWith('/v1/schedules') ? '/v1/schedules' : '/v1/jobs'
      site = { api: id === ids[0] ? api : await api.anew(), op, base }
      common = merge(table, (await table.given?.(site)) ?? {})
    })

    it('has a row for every status that the OpenAPI document declares, and for no other', () => {
      const shown = new Set(table.rows.map(row => row.status))
      expect([...shown].sort()).toEqual(declaredOf(op).sort())
    })

    it.each(table.rows.map(row => [row.status, row.code ?? 'success', row.sent, row] as const))(
      '%i %s: %s',
      async (_status, _code, _sent, row) => {
        const carried = merge(merge(common, row), (await row.given?.(site)) ?? {})
        const before = await everything(site.api)
        const app = await appOf(site, row)
        const send = (more: Sent = {}) => ask(app, site, merge(carried, more))
        const answer = await (row.by ? row.by(site, send) : send())
        expect(answer.status, answer.text).toBe(row.status)
        if (row.code === undefined) return
        expectProblem(answer, row)
        if (!row.by) expect(await everything(site.api), 'a refused call changes nothing').toEqual(before)
      },
    )
  })
}

function merge(a: Sent, b: Sent): Sent {
  return {
    params: { ...a.params, ...b.params },
    query: b.query ?? a.query,
    body: b.body === undefined ? a.body : b.body,
    headers: { ...a.headers, ...b.headers },
    key: b.key === undefined ? a.key : b.key,
  }
}

async function appOf(site: Site, row: Row): Promise<TestApi['app']> {
  if (row.app) return row.app(site)
  if (!row.limits) return site.api.app
  const { services } = site.api
  return site.api.another({ services: { ...services, limits: { ...LIMIT_DEFAULTS, ...row.limits } } })
}

function ask(
  app: TestApi['app'],
  { api, op }: Site,
  { params = {}, query, body, headers, key }: Sent,
): Promise<Answered> {
  const path = op.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const part = params[name]
    if (part === undefined) throw new Error(`The table says nothing of {${name}}.`)
    return part
  })
  const keys: Record<string, string> = { ...api.own.keys, foreign: api.foreign.keys.write }
  const bearer = key === undefined ? api.own.keys.write : key === null ? null : (keys[key] ?? key)
  const search = query === undefined ? '' : `?${query}`
  return callApp(app, op.method.toUpperCase(), `${path}${search}`, {
    key: bearer,
    ...(headers && { headers }),
    ...(body !== null && body !== undefined && { body }),
  })
}

/** RFC 9457, with the code and the fields of the row. */
function expectProblem({ body, headers, text }: Answered, row: Row): void {
  expect(headers.get('content-type')).toBe('application/problem+json')
  expect(body, text).toMatchObject({ status: row.status, code: row.code })
  expect(body.type).toBe(`${PUBLIC_URL}/docs/errors#${row.code}`)
  expect(body.detail).not.toBe('')
  expect(body.request_id).toMatch(/^rqs_/)
  const named = body.errors.map((issue: { field: string }) => issue.field)
  expect(named.sort()).toEqual([...(row.fields ?? [])].sort())
  if (row.says) expect(text).toMatch(row.says)
  if (row.status === 401) expect(headers.get('www-authenticate')).toMatch(/^Bearer realm="Workly"/)
  if (row.status === 429 || row.status === 503) expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
}

/** What a refused call must leave as it is. */
async function everything({ services }: TestApi): Promise<unknown> {
  return services.sql`
    select (select md5(string_agg(j::text, ',' order by id)) from jobs j) as jobs,
      (select md5(string_agg(r::text, ',' order by id)) from runs r) as runs,
      (select md5(string_agg(a::text, ',' order by id)) from attempts a) as attempts,
      (select count(*)::int from audit_entries) as audited`
}

// Rows that say the same of many operations.

/** A call that succeeds. */
export const answers = (status: number, sent: string, more: Partial<Row> = {}): Row => ({
  status,
  sent,
  ...more,
})

/** A call that is refused. */
export const refuses = (status: number, code: ErrorCode, sent: string, more: Partial<Row> = {}): Row => ({
  status,
  code,
  sent,
  ...more,
})

/** A call without a body that says something in its query. */
export const UNKNOWN_PARAMETER = refuses(400, 'invalid_request', 'a parameter that is none', {
  query: 'nonsense=1',
  fields: ['nonsense'],
})

/** A body that is no JSON object. */
export const NO_JSON_OBJECT: readonly Row[] = [
  refuses(400, 'invalid_request', 'JSON that breaks off', { body: '{"a":', fields: [''] }),
  refuses(400, 'invalid_request', 'a list', { body: '[1]', fields: [''] }),
  refuses(400, 'invalid_request', 'a text', { body: '"text"', fields: [''] }),
]

/** More calls that prove nothing than their address may make, also where no rate of a key holds. */
export const STRANGER_TOO_OFTEN = refuses(429, 'rate_limited', 'wrong keys, more than an address may send', {
  key: 'wk_nonsense',
  app: ({ api }) => api.another({ limits: { unauthorized: { perSecond: 0.1, burst: 1 } } }),
  async by(_site, send) {
    await send()
    return send()
  },
})

export const WITHOUT_KEY: readonly Row[] = [
  refuses(401, 'unauthorized', 'no API key', { key: null }),
  refuses(401, 'unauthorized', 'an API key that is none', { key: 'wk_nonsense' }),
  STRANGER_TOO_OFTEN,
]

/** Below the scope that the call needs. */
export const keyOfScope = (scope: 'read' | 'run'): Row =>
  refuses(403, 'forbidden', `an API key of scope ${scope}`, { key: scope, says: /scope (?:run|write)/ })

/** What belongs to another tenant, and what is nowhere, are answered alike. */
export const notThere = (nowhere: Record<string, string>): readonly Row[] => [
  refuses(404, 'not_found', 'what belongs to another organization, and what is nowhere, alike', {
    async by(_site, send) {
      const unknown = await send({ params: nowhere })
      const foreign = await send({ key: 'foreign' })
      const same = ({ status, body }: Answered) => [status, body.code, withoutNames(body.detail)]
      expect(same(unknown)).toEqual(same(foreign))
      return foreign
    },
  }),
]

const withoutNames = (detail: string) => detail.replaceAll(/"[^"]*"/g, '""')

export const TOO_LARGE = refuses(413, 'payload_too_large', 'a body over the limit', {
  body: { text: 'x'.repeat(64) },
  says: /64 bytes/,
  app: ({ api }) => api.another({ limits: { bytes: 64, rate: { perSecond: 1_000, burst: 1_000 } } }),
})

export const TOO_OFTEN = refuses(429, 'rate_limited', 'more calls than the rate allows', {
  async app({ api }) {
    const paced = api.another({ limits: { bytes: 100_000, rate: { perSecond: 0.1, burst: 1 } } })
    expect((await callApp(paced, 'GET', '/v1/jobs', { key: api.own.keys.write })).status).toBe(200)
    return paced
  },
})

/** A POST whose `Idempotency-Key` is in use, or was used for something else. */
export const KEY_IN_USE: readonly Row[] = [
  refuses(409, 'idempotency_in_progress', 'an Idempotency-Key whose first request is still going', {
    headers: { 'Idempotency-Key': 'going' },
    async by({ api }, send) {
      const { sql } = api.services
      return sql
        .begin(async holder => {
          await holder`lock table idempotency_keys in access exclusive mode`
          const first = send()
          await untilBlocked(sql, 1)
          const second = await send()
          await holder`set local lock_timeout = 0`
          return { second, first }
        })
        .then(async ({ second, first }) => {
          await first
          return second
        })
    },
  }),
  refuses(422, 'idempotency_mismatch', 'an Idempotency-Key that was used with another body', {
    headers: { 'Idempotency-Key': 'used' },
    async by(_site, send) {
      await send()
      return send({ body: '{"another": "body"}' })
    },
  }),
]

const SECRET = 'postgres password hunter2'

/** What goes wrong inside, of which nothing is told, and a database that is away. */
export const OUR_FAULT: readonly Row[] = [
  refuses(500, 'internal', 'a call in which something breaks', {
    app: ({ api }) => api.another({ services: brokenServices(api.services, new Error(SECRET)) }),
    says: /^(?!.*hunter2)/s,
  }),
  refuses(503, 'unavailable', 'a call that the database rolls back again and again', {
    app: ({ api }) => {
      const deadlock = Object.assign(new Error(SECRET), { code: '40P01' })
      return api.another({ services: brokenServices(api.services, deadlock) })
    },
    says: /^(?!.*hunter2)/s,
  }),
  refuses(503, 'unavailable', 'a call while the database is away', {
    app: ({ api }) => {
      const away = Object.assign(new Error(SECRET), { code: 'ECONNREFUSED' })
      return api.another({ services: brokenServices(api.services, away) })
    },
    says: /^(?!.*hunter2)/s,
  }),
]
