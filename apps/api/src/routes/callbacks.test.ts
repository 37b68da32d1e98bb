import { callbackToken, putJob, triggerJob } from '@workly/services'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { NIGHTLY, startTestApi, type TestApi } from '../../test/api-fixture.ts'

let api: TestApi
let attempt: string
beforeAll(async () => {
  api = await startTestApi()
  attempt = await openAttempt('exported')
})
afterAll(() => api.close())

/** An attempt of a callback request that waits. */
async function openAttempt(name: string): Promise<string> {
  const { ctx } = api.own
  await putJob(ctx, name, { ...NIGHTLY, response: { callback: { max_wait_seconds: 600 } } })
  const run = await triggerJob(ctx, name)
  const id = `att_${run.id.slice(4)}`
  const { hash, keyId } = callbackToken(api.services.encryption, id)
  const { sql } = api.services
  await sql`
    insert into attempts (id, organization_id, run_id, number, state, fence, started_at, callback_deadline)
    values (${id}, ${ctx.organizationId}, ${run.id}, 1, 'waiting', 1, now(), now() + interval '10 minutes')`
  await sql`insert into callback_tokens values (${id}, ${ctx.organizationId}, ${hash}, ${keyId}, now())`
  await sql`
    update runs set state = 'running', current_attempt_id = ${id}, attempts_made = 1, slot_host = null,
      admitted_at = null, due_at = null, started_at = now() where id = ${run.id}`
  return id
}

const report = (id: string, token: string, options: { body?: unknown; key?: string | null } = {}) =>
  api.call('POST', `/v1/callbacks/${id}/${token}`, { key: null, body: { result: 'OK' }, ...options })
const tokenOf = (id: string) => callbackToken(api.services.encryption, id).token

it('takes the report of whoever has the token, once; a repeat is 204 too and changes nothing', async () => {
  expect((await report(attempt, tokenOf(attempt))).status).toBe(204)
  expect((await report(attempt, tokenOf(attempt), { body: { result: 'ERROR' } })).status).toBe(204)
  const [row] = await api.services.sql`select state, callback_result from attempts where id = ${attempt}`
  expect(row).toEqual({ state: 'succeeded', callback_result: 'OK' })
})

it('answers 404 to a wrong token, to the token of another attempt and to an unknown attempt alike', async () => {
  const other = await openAttempt('other')
  const refusals = [
    await report(other, 'nonsense'),
    await report(other, tokenOf(attempt)),
    await report('att_00000000000000000000000000', tokenOf(other)),
    await report('nonsense', tokenOf(other)),
  ]
  expect(refusals.map(r => r.status)).toEqual([404, 404, 404, 404])
  expect(new Set(refusals.map(r => r.body.detail)).size).toBe(1)
})

it('an API key with scope run serves as well, of its own project only', async () => {
  const id = await openAttempt('by-key')
  expect((await report(id, '-', { key: api.own.keys.read })).status).toBe(403)
  expect((await report(id, '-', { key: api.foreign.keys.write })).status).toBe(404)
  expect((await report(id, '-', { key: api.own.keys.run })).status).toBe(204)
})

it('names what is wrong with a report, and decides nothing by it', async () => {
  const id = await openAttempt('badly-told')
  const bad = await report(id, tokenOf(id), { body: { result: '', descripton: 'x' } })
  expect(bad.status).toBe(400)
  expect(bad.body.errors.map((e: { field: string }) => e.field).sort()).toEqual(['descripton', 'result'])
  expect((await report(id, tokenOf(id), { body: 'not json' })).status).toBe(400)
  expect((await report(id, tokenOf(id), { body: { result: 'FAILED to say' } })).status).toBe(204)
})

it('a deleted job takes no report', async () => {
  const id = await openAttempt('deleted')
  await api.call('DELETE', '/v1/jobs/deleted')
  expect((await report(id, tokenOf(id))).status).toBe(404)
})
