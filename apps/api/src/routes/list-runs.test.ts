import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { NIGHTLY, startTestApi, type TestApi } from '../../test/api-fixture.ts'
import { itIsGuarded } from '../../test/guards.ts'
import { RunPage } from '../named-schemas.ts'

let api: TestApi
const made: string[] = []
beforeAll(async () => {
  api = await startTestApi()
  for (const name of ['one', 'two', 'one']) {
    await api.call('PUT', `/v1/jobs/${name}`, { body: NIGHTLY })
    made.unshift((await api.call('POST', `/v1/jobs/${name}/trigger`)).body.id)
  }
  await api.call('POST', `/v1/runs/${made[0]}/cancel`)
  await api.call('PUT', '/v1/jobs/one', { body: NIGHTLY, key: api.foreign.keys.write })
  await api.call('POST', '/v1/jobs/one/trigger', { key: api.foreign.keys.write })
})
afterAll(() => api.close())

const ids = (body: { data: { id: string }[] }) => body.data.map(run => run.id)
const BAD_QUERIES: [string, string][] = [
  ['limit=201', 'limit'],
  ['state=done', 'state'],
  ['trigger=magic', 'trigger'],
  ['from=2026-12-01', 'from'],
  ['to=soon', 'to'],
  ['cursor=nonsense', 'cursor'],
  ['job_id=x', 'job_id'],
  ['from=%00', 'from'],
]

describe('GET /v1/runs', () => {
  it("answers 200 with the project's runs as the document has them, newest first", async () => {
    const got = await api.call('GET', '/v1/runs', { key: api.own.keys.read })
    expect(got.status).toBe(200)
    expect(ids(got.body)).toEqual(made)
    expect(RunPage.parse(got.body)).toEqual(got.body)
  })

  it('filters by job, state, trigger and time', async () => {
    expect(ids((await api.call('GET', '/v1/runs?job=two')).body)).toEqual([made[1]])
    expect(ids((await api.call('GET', '/v1/runs?state=cancelled')).body)).toEqual([made[0]])
    expect(ids((await api.call('GET', '/v1/runs?trigger=schedule')).body)).toEqual([])
    expect(ids((await api.call('GET', '/v1/runs?to=2020-01-01T00:00:00Z')).body)).toEqual([])
    expect(ids((await api.call('GET', '/v1/runs?from=2020-01-01T00:00:00%2B01:00')).body)).toEqual(made)
  })

  it('goes through pages without missing or repeating one', async () => {
    const first = await api.call('GET', '/v1/runs?limit=2')
    const second = await api.call('GET', `/v1/runs?limit=2&cursor=${first.body.next_cursor}`)
    expect([...ids(first.body), ...ids(second.body)]).toEqual(made)
    expect(second.body.next_cursor).toBeNull()
  })

  it('answers 50 without a limit, and at most 200', async () => {
    const { organizationId, projectId } = api.foreign.ctx
    await api.services.sql`
      insert into runs select (json_populate_record(r, json_build_object('id', 'run_' || lpad(n::text, 26, '0'),
        'scheduled_for', r.scheduled_for + n * interval '1 second', 'state', 'cancelled', 'finished_at', r.created_at,
        'due_at', null, 'slot_host', null, 'admitted_at', null))).*
      from runs r, generate_series(1, 200) n
      where r.organization_id = ${organizationId} and r.project_id = ${projectId}`
    const page = async (query = '') =>
      (await api.call('GET', `/v1/runs${query}`, { key: api.foreign.keys.read })).body
    const usual = await page()
    expect([usual.data.length, usual.next_cursor]).toEqual([50, expect.any(String)])
    const most = await page('?limit=200')
    expect([most.data.length, most.next_cursor]).toEqual([200, expect.any(String)])
  })

  it.each(BAD_QUERIES)('answers 400 for %s', async (query, field) => {
    const refused = await api.call('GET', `/v1/runs?${query}`)
    expect(refused.status).toBe(400)
    expect(refused.body.errors.map((e: { field: string }) => e.field)).toEqual([field])
  })

  it('answers 404 for the runs of a job that is not there', async () => {
    expect((await api.call('GET', '/v1/runs?job=absent')).status).toBe(404)
  })

  itIsGuarded({ api: () => api, method: 'GET', path: () => '/v1/runs', scope: 'read', ofOneThing: false })
})

describe.each(['/v1/jobs', '/v1/schedules'])('GET %s/{name}/runs', base => {
  it('answers 200 with the runs of that job alone, newest first', async () => {
    const got = await api.call('GET', `${base}/one/runs`, { key: api.own.keys.read })
    expect(got.status).toBe(200)
    expect(ids(got.body)).toEqual([made[0], made[2]])
    expect(ids((await api.call('GET', `${base}/one/runs?state=pending`)).body)).toEqual([made[2]])
  })

  it.each([...BAD_QUERIES, ['job=two', 'job'] as [string, string]])(
    'answers 400 for %s',
    async (query, field) => {
      const refused = await api.call('GET', `${base}/one/runs?${query}`)
      expect(refused.status).toBe(400)
      expect(refused.body.errors.map((e: { field: string }) => e.field)).toEqual([field])
    },
  )

  it('answers 404 where there is no job', async () => {
    expect((await api.call('GET', `${base}/absent/runs`)).status).toBe(404)
  })

  itIsGuarded({
    api: () => api,
    method: 'GET',
    path: () => `${base}/two/runs`,
    scope: 'read',
    ofOneThing: true,
  })
})
