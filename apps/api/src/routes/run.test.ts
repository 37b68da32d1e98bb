import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { NIGHTLY, startTestApi, type TestApi } from '../../test/api-fixture.ts'
import { itIsGuarded } from '../../test/guards.ts'
import { Run } from '../named-schemas.ts'

let api: TestApi
let id: string
beforeAll(async () => {
  api = await startTestApi()
  await api.call('PUT', '/v1/jobs/nightly', { body: { ...NIGHTLY, payload: { kind: 'daily' } } })
  id = await trigger()
})
afterAll(() => api.close())

async function trigger(): Promise<string> {
  return (await api.call('POST', '/v1/jobs/nightly/trigger')).body.id
}

const NO_RUNS = ['run_00000000000000000000000000', 'nonsense', '%00', 'job_00000000000000000000000000']

describe('GET /v1/runs/{id}', () => {
  it('answers 200 with the run as the document has it', async () => {
    const got = await api.call('GET', `/v1/runs/${id}`, { key: api.own.keys.read })
    expect(got.status).toBe(200)
    expect(got.body).toMatchObject({
      id,
      job: 'nightly',
      request: { body: '{"kind":"daily"}' },
      attempts: [],
    })
    expect(Run.strict().parse(got.body)).toEqual(got.body)
  })

  it.each(NO_RUNS)('answers 404 for %s', async other => {
    expect((await api.call('GET', `/v1/runs/${other}`)).status).toBe(404)
  })

  itIsGuarded({
    api: () => api,
    method: 'GET',
    path: () => `/v1/runs/${id}`,
    scope: 'read',
    ofOneThing: true,
  })
})

describe('POST /v1/runs/{id}/cancel', () => {
  it('answers 200 with the run cancelled, then 409', async () => {
    const run = await trigger()
    const cancelled = await api.call('POST', `/v1/runs/${run}/cancel`, { key: api.own.keys.run })
    expect(cancelled.status).toBe(200)
    expect(cancelled.body.state).toBe('cancelled')
    const again = await api.call('POST', `/v1/runs/${run}/cancel`)
    expect(again.status).toBe(409)
    expect(again.body.code).toBe('run_finished')
  })

  it('answers with the cancelled run when its container is gone, the same to a key that is sent again', async () => {
    const run = await trigger()
    const { sql } = api.services
    await sql`
      insert into container_handles (id, organization_id, project_id, job_id, run_id, attempt_id, executor, namespace, name,
        created_at, deadline_at)
      select 'con_1', organization_id, project_id, job_id, id, 'att_1', 'docker', 'workly', 'box', now(), now()
      from runs where id = ${run}`
    const headers = { 'Idempotency-Key': 'cancel-once' }
    let isAnswered = false
    const answer = api.call('POST', `/v1/runs/${run}/cancel`, { headers }).finally(() => {
      isAnswered = true
    })
    // Committed, though not answered yet: whoever removes the container sees it.
    const isAsked = async () => {
      const [row] =
        await sql`select 1 from container_handles where run_id = ${run} and removing_since is not null`
      return row !== undefined
    }
    while (!(await isAsked()));
    expect(isAnswered).toBe(false)
    await sql`update container_handles set gone_at = now() where run_id = ${run}`
    const { status, body } = await answer
    expect(status).toBe(200)
    expect(body).toMatchObject({ state: 'cancelled', cancel_requested_at: expect.any(String) })
    const again = await api.call('POST', `/v1/runs/${run}/cancel`, { headers })
    expect([again.status, again.body]).toEqual([200, body])
  })

  it('names a field with 400, since it takes none', async () => {
    const refused = await api.call('POST', `/v1/runs/${id}/cancel`, { body: { why: 'no' } })
    expect(refused.status).toBe(400)
    expect(refused.body.errors[0].field).toBe('why')
  })

  it.each(NO_RUNS)('answers 404 for %s', async other => {
    expect((await api.call('POST', `/v1/runs/${other}/cancel`)).status).toBe(404)
  })

  itIsGuarded({
    api: () => api,
    method: 'POST',
    path: () => `/v1/runs/${id}/cancel`,
    scope: 'run',
    ofOneThing: true,
  })
})

describe('POST /v1/runs/{id}/retry', () => {
  it('answers 409 while the run is going, 200 with the same run pending again once it has ended', async () => {
    const run = await trigger()
    const going = await api.call('POST', `/v1/runs/${run}/retry`)
    expect(going.status).toBe(409)
    expect(going.body.code).toBe('run_not_finished')
    await api.call('POST', `/v1/runs/${run}/cancel`)
    const again = await api.call('POST', `/v1/runs/${run}/retry`, { key: api.own.keys.run })
    expect(again.status).toBe(200)
    expect(again.body).toMatchObject({ id: run, state: 'pending' })
  })

  it('lets one of two at once win', async () => {
    const run = await trigger()
    await api.call('POST', `/v1/runs/${run}/cancel`)
    const both = await Promise.all([1, 2].map(() => api.call('POST', `/v1/runs/${run}/retry`)))
    expect(both.map(answer => answer.status).sort()).toEqual([200, 409])
  })

  it('names a field with 400', async () => {
    const refused = await api.call('POST', `/v1/runs/${id}/retry`, { body: { from: 'start' } })
    expect(refused.status).toBe(400)
    expect(refused.body.errors[0].field).toBe('from')
  })

  it.each(NO_RUNS)('answers 404 for %s', async other => {
    expect((await api.call('POST', `/v1/runs/${other}/retry`)).status).toBe(404)
  })

  itIsGuarded({
    api: () => api,
    method: 'POST',
    path: () => `/v1/runs/${id}/retry`,
    scope: 'run',
    ofOneThing: true,
  })
})

describe('a run of a pipeline', () => {
  const steps = ['load', 'train'].map(step => ({ id: step, url: `https://${step}.example/`, payload: step }))
  const made = async () => {
    await api.call('PUT', '/v1/jobs/pipeline', { body: { cron: '0 3 * * *', steps } })
    return (await api.call('POST', '/v1/jobs/pipeline/trigger')).body.id as string
  }

  it('is shown with its steps and every request, as the document has it', async () => {
    const got = await api.call('GET', `/v1/runs/${await made()}`)
    expect(got.body).toMatchObject({
      request: { kind: 'pipeline', steps: [{ id: 'load', body: '"load"' }, { id: 'train' }] },
      steps: [
        { id: 'load', state: 'pending', attempts_made: 0, error: null },
        { id: 'train', state: 'pending' },
      ],
    })
    expect(Run.strict().parse(got.body)).toEqual(got.body)
  })

  it('starts again from its first step, or with from_step from the one that was cancelled', async () => {
    const run = await made()
    await api.call('POST', `/v1/runs/${run}/cancel`)
    await api.services.sql`update steps set state = 'succeeded' where run_id = ${run} and step_id = 'load'`
    await api.services.sql`update steps set state = 'failed' where run_id = ${run} and step_id = 'train'`
    const again = await api.call('POST', `/v1/runs/${run}/retry`, { body: { from_step: 'failed' } })
    expect(again.status).toBe(200)
    expect(again.body.steps.map((s: { state: string }) => s.state)).toEqual(['succeeded', 'pending'])
    await api.call('POST', `/v1/runs/${run}/cancel`)
    const whole = await api.call('POST', `/v1/runs/${run}/retry`)
    expect(whole.body.steps.map((s: { state: string }) => s.state)).toEqual(['pending', 'pending'])
  })

  it.each([
    ['another word', { from_step: 'train' }],
    ['a number', { from_step: 2 }],
  ])('refuses %s as from_step with 400', async (_, body) => {
    const run = await made()
    await api.call('POST', `/v1/runs/${run}/cancel`)
    const refused = await api.call('POST', `/v1/runs/${run}/retry`, { body })
    expect(refused.status).toBe(400)
    expect(refused.body.errors).toEqual([{ field: 'from_step', message: '"failed", or leave it out' }])
  })

  it('refuses from_step with 400 where there are no steps', async () => {
    const run = await trigger()
    await api.call('POST', `/v1/runs/${run}/cancel`)
    const refused = await api.call('POST', `/v1/runs/${run}/retry`, { body: { from_step: 'failed' } })
    expect(refused.status).toBe(400)
    expect(refused.body.errors).toMatchObject([{ field: 'from_step' }])
  })
})
