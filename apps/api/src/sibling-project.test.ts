import { callbackToken, createApiKey, createProject, freshId, putJob, triggerJob } from '@workly/services'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { NIGHTLY, startTestApi, type TestApi } from '../test/api-fixture.ts'

// Two projects of one organization are no less apart than two organizations: a key belongs to one project.

let api: TestApi
/** A key with every scope of another project of the same organization. */
let sibling: string
let run: string
let attempt: string

beforeAll(async () => {
  api = await startTestApi()
  const { ctx } = api.own
  await putJob(ctx, 'nightly', { ...NIGHTLY, response: { callback: { max_wait_seconds: 600 } } })
  run = (await triggerJob(ctx, 'nightly')).id
  attempt = await openAttempt()
  const { project } = await createProject(
    { ...ctx, actor: { kind: 'user', id: 'usr_test', name: 'test', role: 'owner' } },
    { slug: 'sibling', name: 'Sibling' },
  )
  sibling = (await createApiKey({ ...ctx, projectId: project.id }, { name: 'sibling', scope: 'write' })).key
})
afterAll(() => api?.close())

/** The run's attempt, which waits for its callback. */
async function openAttempt(): Promise<string> {
  const { services } = api
  const { organizationId } = api.own.ctx
  const id = freshId('attempt', new Date())
  const { hash, keyId } = callbackToken(services.encryption, id)
  await services.sql`
    insert into attempts (id, organization_id, run_id, number, state, fence, started_at, callback_deadline)
    values (${id}, ${organizationId}, ${run}, 1, 'waiting', 1, now(), now() + interval '10 minutes')`
  await services.sql`
    insert into callback_tokens (attempt_id, organization_id, token_hash, server_key_id, created_at)
    values (${id}, ${organizationId}, ${hash}, ${keyId}, now())`
  await services.sql`
    update runs set state = 'running', current_attempt_id = ${id}, attempts_made = 1, slot_host = null,
      admitted_at = null, due_at = null, started_at = now() where id = ${run}`
  return id
}

const range = { from: '2026-01-01T00:00:00Z', to: '2026-01-02T00:00:00Z' }

it.each([
  ['GET', '/v1/jobs/nightly', undefined],
  ['PATCH', '/v1/jobs/nightly', { description: 'mine' }],
  ['DELETE', '/v1/jobs/nightly', undefined],
  ['POST', '/v1/jobs/nightly/trigger', undefined],
  ['POST', '/v1/jobs/nightly/pause', undefined],
  ['POST', '/v1/jobs/nightly/resume', undefined],
  ['POST', '/v1/jobs/nightly/backfill', range],
  ['GET', '/v1/jobs/nightly/runs', undefined],
  ['GET', '/v1/jobs/nightly/times', undefined],
  ['POST', '/v1/jobs/test', { job: 'nightly', url: NIGHTLY.url }],
  ['GET', '/v1/runs/{run}', undefined],
  ['POST', '/v1/runs/{run}/retry', undefined],
  ['POST', '/v1/runs/{run}/cancel', undefined],
  ['POST', '/v1/callbacks/{attempt}/-', { result: 'OK' }],
])('%s %s answers 404 to a key of another project of the organization', async (method, path, body) => {
  const address = path.replace('{run}', run).replace('{attempt}', attempt)
  const refused = await api.call(method, address, { key: sibling, ...(body && { body }) })
  expect(refused.status).toBe(404)
  // With the key of its own project there is something at the address.
  if (method === 'GET') expect((await api.call(method, address)).status).toBe(200)
})

it.each(['/v1/jobs', '/v1/runs'])('%s lists nothing of another project of the organization', async path => {
  expect((await api.call('GET', path)).body.data).toHaveLength(1)
  expect((await api.call('GET', path, { key: sibling })).body.data).toEqual([])
})

it('a project’s metrics hold nothing of another project of the organization', async () => {
  expect((await api.call('GET', '/v1/metrics')).text).toContain('nightly')
  expect((await api.call('GET', '/v1/metrics', { key: sibling })).text).not.toContain('nightly')
})

it('a name may be taken in each project, and after all this the first one’s job stands as it was', async () => {
  const put = await api.call('PUT', '/v1/jobs/nightly', { key: sibling, body: NIGHTLY })
  expect(put.status).toBe(201)
  expect((await api.call('GET', '/v1/jobs/nightly')).body).toMatchObject({ description: '', state: 'active' })
  expect((await api.call('GET', `/v1/runs/${run}`)).body).toMatchObject({ state: 'running' })
})
