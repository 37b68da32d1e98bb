import { triggerJob } from '@workly/services'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { callApp, NIGHTLY, startTestApi, type TestApi } from '../test/api-fixture.ts'
import type { Operation } from './operation.ts'
import { OPERATIONS } from './routes/operations.ts'

// What every call of /v1 refuses alike, each with the status that says why (spec section 8). What only some refuse, such
// as 409, is in the tests of their own.

const OF_V1 = OPERATIONS.filter(op => op.path.startsWith('/v1/'))
const titled = (ops: readonly Operation[]) =>
  ops.map(op => [`${op.method.toUpperCase()} ${op.path}`, op] as const)
/** About one thing that is there; a PUT of another's name makes one's own. */
const aboutOneThing = OF_V1.filter(op => /\{(?:name|id)\}/.test(op.path) && op.method !== 'put')

let api: TestApi
let run: string
beforeAll(async () => {
  api = await startTestApi()
  await api.call('PUT', '/v1/jobs/nightly', { body: NIGHTLY })
  run = (await triggerJob(api.own.ctx, 'nightly')).id
})
afterAll(() => api?.close())

const pathOf = (op: Operation, name = 'nightly', id = run) =>
  op.path
    .replace('{name}', name)
    .replace('{id}', id)
    .replace('{attempt}', 'att_00000000000000000000000000')
    .replace('{token}', 'token')
const bodyOf = (op: Operation) => (op.body ? { body: op.body.example ?? {} } : {})
const methodOf = (op: Operation) => op.method.toUpperCase()

/** Refused as a problem document with that code; nothing of it has happened, so that the next test finds all as it was. */
function expectProblem(answer: Awaited<ReturnType<TestApi['call']>>, status: number, code: string): void {
  expect([answer.status, answer.body.status, answer.body.code]).toEqual([status, status, code])
  expect(answer.headers.get('content-type')).toBe('application/problem+json')
  expect(answer.body.request_id).not.toBe('')
}

describe.each(titled(OF_V1))('%s', (_, op) => {
  it('answers 400 that names the field to what it does not know', async () => {
    const path = pathOf(op)
    const refused = op.body
      ? await api.call(methodOf(op), path, { body: { nonsense: 1 } })
      : await api.call(methodOf(op), `${path}?nonsense=1`)
    expectProblem(refused, 400, 'invalid_request')
    expect(refused.body.errors.map((issue: { field: string }) => issue.field)).toContain('nonsense')
  })

  if (op.body)
    it('answers 400 to a body that is no JSON object, and 413 to one that is too large', async () => {
      for (const body of ['{"a":', '[1]', '"text"']) {
        expectProblem(await api.call(methodOf(op), pathOf(op), { body }), 400, 'invalid_request')
      }
      const small = api.another({ limits: { bytes: 64, rate: { perSecond: 1_000, burst: 1_000 } } })
      const key = api.own.keys.write
      const large = await callApp(small, methodOf(op), pathOf(op), { body: { text: 'x'.repeat(64) }, key })
      expectProblem(large, 413, 'payload_too_large')
      expect(large.body.detail).toContain('64 bytes')
    })

  if (!op.open)
    it('answers 401 without a key', async () => {
      expectProblem(
        await api.call(methodOf(op), pathOf(op), { ...bodyOf(op), key: null }),
        401,
        'unauthorized',
      )
    })

  if (!op.open && op.scope !== 'read')
    it('answers 403 to a key of the scope below', async () => {
      const key = api.own.keys[op.scope === 'write' ? 'run' : 'read']
      expectProblem(await api.call(methodOf(op), pathOf(op), { ...bodyOf(op), key }), 403, 'forbidden')
    })

  if (!op.open && !op.unpaced)
    it('answers 429 that says when to come back once the rate is used up', async () => {
      const paced = api.another({ limits: { bytes: 1_000, rate: { perSecond: 0.1, burst: 1 } } })
      const key = api.own.keys.write
      expect((await callApp(paced, 'GET', '/v1/jobs', { key })).status).toBe(200)
      const refused = await callApp(paced, methodOf(op), pathOf(op), { ...bodyOf(op), key })
      expectProblem(refused, 429, 'rate_limited')
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    })
})

describe.each(titled(aboutOneThing))('%s', (_, op) => {
  it('answers 404 to another tenant, and to what is not there, alike', async () => {
    const foreign = await api.call(methodOf(op), pathOf(op), { ...bodyOf(op), key: api.foreign.keys.write })
    expectProblem(foreign, 404, 'not_found')
    const path = pathOf(op, 'nothing', 'run_00000000000000000000000000')
    const unknown = await api.call(methodOf(op), path, bodyOf(op))
    expectProblem(unknown, 404, 'not_found')
    expect(foreign.body.detail.replace('nightly', 'nothing')).toBe(unknown.body.detail)
  })
})

it('after all these refusals the job and its run are as they were', async () => {
  expect((await api.call('GET', '/v1/jobs')).body.data).toHaveLength(1)
  expect((await api.call('GET', `/v1/runs/${run}`)).body).toMatchObject({ state: 'pending', id: run })
  expect((await api.call('GET', '/v1/jobs', { key: api.foreign.keys.write })).body.data).toEqual([])
})
