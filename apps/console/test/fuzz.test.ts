import { fetchRequestHandler } from '@trpc/server/adapters/fetch'
import { putJob, triggerJob } from '@workly/services'
import { makeTenant, openServices, type Tenant, type TestServices } from '@workly/services/testing'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { appRouter } from '../src/trpc/router.ts'
import { INPUTS, makeCall } from './procedure-inputs.ts'

/** What the router says of a procedure by itself. */
const PROCEDURES = appRouter._def.procedures as unknown as Record<
  string,
  { _def: { type: string; inputs: unknown[] } } | undefined
>

let t: TestServices
let tenant: Tenant
let run: string
let base: Record<string, string>
beforeAll(async () => {
  t = await openServices()
  tenant = await makeTenant(t.services)
  await putJob(tenant.as('owner'), 'nightly', { cron: '0 3 * * *', url: 'https://api.example.com/' })
  run = (await triggerJob(tenant.as('owner'), 'nightly')).id
  base = { organization: tenant.organizationId, project: tenant.projectId, name: 'nightly', id: run }
})
afterAll(() => t.drop())

/** A call as the browser sends it; the body or query are whatever text is given. */
async function call(path: string, input: string): Promise<{ status: number; text: string }> {
  const type = PROCEDURES[path]?._def.type
  const address = `http://console.test/api/trpc/${path}`
  const request =
    type === 'mutation'
      ? new Request(address, { method: 'POST', body: input, headers: { 'content-type': 'application/json' } })
      : new Request(`${address}?input=${encodeURIComponent(input.toWellFormed())}`)
  const [person] = await t.sql<{ session_epoch: number }[]>`
    select session_epoch from users where id = ${tenant.userOf('owner')}`
  const session = { userId: tenant.userOf('owner'), epoch: person?.session_epoch ?? 0 }
  const response = await fetchRequestHandler({
    endpoint: '/api/trpc',
    req: request,
    router: appRouter,
    createContext: () => ({ services: t.services, session, requestId: 'rqs_fuzz', makeCall }),
  })
  return { status: response.status, text: await response.text() }
}

const nasty = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.constantFrom(
    '',
    '\u0000',
    'a\u0000b',
    '\ud800',
    '__proto__',
    'constructor',
    'toString',
    '%',
    '\\',
    "'; drop table jobs; --",
    '../..',
    '🕐',
    'nightly',
    'x'.repeat(150),
    'x'.repeat(5_000),
    'W10',
    'WyJcdTAwMDAiLCJhIl0',
    'WyJcdWQ4MDAiXQ',
    'WyI5OTk5OTktMDEtMDFUMDA6MDA6MDBaIiwiYSJd',
    '0 3 * * *',
    'https://api.example.com/',
    '2026-12-01T00:00:00Z',
  ),
)
const number = fc.constantFrom(0, -0, -1, 1, 200, 1e21, 1e308, -1e308, 2 ** 53, 5e-324, 0.5)
const anyJson = fc.letrec(tie => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    nasty,
    number,
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(nasty, tie('value'), { maxKeys: 3 }),
  ),
})).value

const PATHS = Object.keys(INPUTS)
const fieldsOf = (path: string): string[] => {
  const parsers = PROCEDURES[path]?._def.inputs ?? []
  return parsers.flatMap(parser => Object.keys((parser as { shape?: object }).shape ?? {}))
}
const SETTINGS_FIELDS = [
  'cron',
  'interval_minutes',
  'at',
  'timezone',
  'from',
  'to',
  'url',
  'method',
  'headers',
  'payload',
  'body',
  'content_type',
  'response',
  'image',
  'steps',
  'timeout_seconds',
  'max_attempts',
  'backoff_multiplier',
  'overlap',
  'missed',
  'description',
  'tags',
  '__proto__',
]

/** A field of the procedure, or one of the settings within it. */
const odd = (path: string) => {
  const fields = fieldsOf(path)
  const within = fields.filter(field => ['settings', 'patch', 'put', 'schedule', 'call'].includes(field))
  const top = fc.constantFrom(...fields, 'unknown', '__proto__').map(field => [field])
  if (within.length === 0) return top
  return fc.oneof(top, fc.tuple(fc.constantFrom(...within), fc.constantFrom(...SETTINGS_FIELDS)))
}

function put(input: Record<string, unknown>, [field = '', inner]: string[], value: unknown): void {
  const held = inner === undefined ? value : { ...Object(input[field]) }
  if (inner !== undefined) Object.defineProperty(held, inner, { value, enumerable: true, configurable: true })
  Object.defineProperty(input, field, { value: held, enumerable: true, configurable: true, writable: true })
}

const calls = fc
  .constantFrom(...PATHS)
  .chain(path =>
    fc.tuple(fc.constant(path), fc.array(fc.tuple(odd(path), anyJson), { minLength: 1, maxLength: 2 })),
  )

test('every procedure answers anything with a status below 500', async () => {
  await fc.assert(
    fc.asyncProperty(calls, async ([path, changes]) => {
      const input: Record<string, unknown> = { ...base, ...INPUTS[path]?.rest }
      for (const [place, value] of changes) put(input, place, value)
      const text = JSON.stringify(input)
      const answer = await call(path, text)
      expect(answer.status, `${path} ${text} ${answer.text}`).toBeLessThan(500)
    }),
    { numRuns: 500, endOnFailure: true },
  )
})

test('every procedure answers a text that is no input with a status below 500', async () => {
  const texts = [
    '',
    '{',
    '[]',
    'null',
    '7',
    '"x"',
    '['.repeat(5_000),
    '{"__proto__":null}',
    '\u0000',
    '{"organization":"a","organization":"b"}',
  ]
  for (const path of PATHS) {
    for (const text of texts) {
      const answer = await call(path, text)
      expect(answer.status, `${path} ${text.slice(0, 50)} ${answer.text}`).toBeLessThan(500)
    }
  }
})

test('NUL and half characters are refused in every field that is text, naming it', async () => {
  for (const path of PATHS) {
    for (const field of fieldsOf(path)) {
      for (const value of ['a\u0000b', 'a\ud800']) {
        const input = { ...base, ...INPUTS[path]?.rest, [field]: value }
        const answer = await call(path, JSON.stringify(input))
        expect(answer.status, `${path} ${field} ${answer.text}`).toBe(400)
        expect(answer.text).toContain(`"field":"${field}`)
      }
    }
  }
})
