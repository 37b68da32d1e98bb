import { parseCidrs } from '@workly/core'
import { TestReceiver } from '@workly/delivery/testing'
import { setLimits } from '@workly/services'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { NIGHTLY, startTestApi, type TestApi } from '../../test/api-fixture.ts'
import { itIsGuarded } from '../../test/guards.ts'
import type { createApi } from '../app.ts'
import { createTestCaller } from '../test-caller.ts'

let api: TestApi
let open: ReturnType<typeof createApi>
let target: TestReceiver
const closes: (() => Promise<unknown>)[] = []

beforeAll(async () => {
  api = await startTestApi()
  target = await TestReceiver.start()
  const services = {
    ...api.services,
    allowHttp: 'loopback' as const,
    allowedPrivate: parseCidrs('127.0.0.0/8,::1/128'),
  }
  const caller = createTestCaller(services, '0.0.0-test')
  closes.push(
    () => caller.close(),
    () => target.close(),
    () => api.close(),
  )
  open = api.another({ services, makeCall: caller.makeCall })
})
afterAll(async () => {
  for (const close of closes) await close()
})

async function call(body: unknown, headers: Record<string, string> = {}) {
  const response = await open.request('/v1/jobs/test', {
    method: 'POST',
    headers: { authorization: `Bearer ${api.own.keys.write}`, ...headers },
    body: JSON.stringify(body),
  })
  const text = await response.text()
  return { status: response.status, headers: response.headers, body: JSON.parse(text), text }
}

it('makes one real signed call, answers the attempt and saves nothing', async () => {
  target.answer = { status: 201, headers: { 'x-seen': 'yes' }, body: 'hello' }
  const before = target.requests.length
  const got = await call({ url: target.url('/try'), payload: { a: 1 } })
  expect(got.status).toBe(200)
  expect(got.body).toMatchObject({
    state: 'succeeded',
    number: 1,
    response: { status: 201, body: 'hello' },
    error: null,
  })
  expect(target.requests).toHaveLength(before + 1)
  expect(target.requests.at(-1)?.headers).toMatchObject({ 'workly-schedule': 'test', 'workly-attempt': '1' })
  expect((await api.call('GET', '/v1/jobs')).body.data).toEqual([])
  expect((await api.call('GET', '/v1/runs')).body.data).toEqual([])
})

it('a failure is an answer too: the class and what to do', async () => {
  target.answer = { status: 500, body: '{"message":"no paper"}' }
  const got = await call({ url: target.url('/') })
  expect(got.body).toMatchObject({ state: 'failed', error: { class: 'http_status', message: 'no paper' } })
})

it('uses a job’s stored secret for the same origin only, and never shows it', async () => {
  const secret = `canary-${crypto.randomUUID()}`
  target.answer = request => ({ body: `got ${request.headers.authorization}` })
  const job = { ...NIGHTLY, url: target.url('/a'), headers: { Authorization: { secret } } }
  const put = await open.request('/v1/jobs/with-secret', {
    method: 'PUT',
    headers: { authorization: `Bearer ${api.own.keys.write}` },
    body: JSON.stringify(job),
  })
  expect(put.status).toBe(201)
  const masked = { Authorization: { secret: '••••' } }
  const got = await call({ job: 'with-secret', url: target.url('/b'), headers: masked })
  expect(target.requests.at(-1)?.headers.authorization).toBe(secret)
  expect(got.text).not.toContain(secret)
  expect(got.body.response.body).toBe('got ••••')
  const elsewhere = await call({ job: 'with-secret', url: 'https://evil.example/', headers: masked })
  expect(elsewhere.status).toBe(400)
  expect(elsewhere.body.errors[0].field).toBe('headers.Authorization')
})

it('a key makes it once; other fields than a request’s are refused', async () => {
  target.answer = {}
  const before = target.requests.length
  const key = { 'Idempotency-Key': crypto.randomUUID() }
  const first = await call({ url: target.url('/once') }, key)
  const again = await call({ url: target.url('/once') }, key)
  expect(again.text).toBe(first.text)
  expect(again.headers.get('idempotent-replayed')).toBe('true')
  expect(target.requests).toHaveLength(before + 1)
  const bad = await call({ url: target.url('/'), cron: '* * * * *', timeout_seconds: 31 })
  expect(bad.status).toBe(400)
  expect(bad.body.errors.map((e: { field: string }) => e.field).sort()).toEqual(['cron', 'timeout_seconds'])
})

it('a project has at most so many under way at once, whatever their keys', async () => {
  const most = 2
  const { organizationId: organization, projectId: project } = api.own.ctx
  await setLimits(api.services, { organization, project }, { test_calls_in_flight: most })
  let letGo: () => void = () => undefined
  const held = new Promise<void>(resolve => {
    letGo = resolve
  })
  let came = 0
  let allCame: () => void = () => undefined
  const arrived = new Promise<void>(resolve => {
    allCame = resolve
  })
  target.answer = async () => {
    came += 1
    if (came === most) allCame()
    await held
    return {}
  }
  const calls = Array.from({ length: most }, () => call({ url: target.url('/slow') }))
  await arrived
  const key = { 'Idempotency-Key': crypto.randomUUID() }
  const refused = await call({ url: target.url('/slow') }, key)
  expect(refused).toMatchObject({ status: 429, body: { code: 'rate_limited' } })
  expect(refused.body.detail).toContain('at most 2 at once')
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  letGo()
  expect((await Promise.all(calls)).map(c => c.status)).toEqual([200, 200])
  // A refusal is not kept under its key, and the place of an ended call is free again.
  expect((await call({ url: target.url('/slow') }, key)).status).toBe(200)
  await setLimits(api.services, { organization, project }, { test_calls_in_flight: null })
})

it('is kept from private networks by the guard', async () => {
  const result = await createTestCaller(api.services, '0').makeCall({
    url: 'https://169.254.169.254/',
    method: 'GET',
    headers: {},
    body: null,
    timeoutMs: 1_000,
    scope: 'prj',
    keepBodyBytes: 1_024,
  })
  expect(result.class).toBe('blocked')
})

itIsGuarded({
  api: () => api,
  method: 'POST',
  path: () => '/v1/jobs/test',
  body: { url: 'https://api.example.com/' },
  scope: 'write',
  ofOneThing: false,
})
