import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { NIGHTLY, startTestApi, type TestApi } from '../../test/api-fixture.ts'
import { itIsGuarded } from '../../test/guards.ts'
import { Run } from '../named-schemas.ts'

let api: TestApi
beforeAll(async () => {
  api = await startTestApi()
  await api.call('PUT', '/v1/jobs/nightly', { body: NIGHTLY })
})
afterAll(() => api.close())

describe.each(['/v1/jobs', '/v1/schedules'])('POST %s/{name}/trigger', base => {
  const path = `${base}/nightly/trigger`

  it('answers 201 with the run as the document has it, and where it is', async () => {
    const made = await api.call('POST', path, { key: api.own.keys.run })
    expect(made.status).toBe(201)
    expect(made.body).toMatchObject({ job: 'nightly', state: 'pending', trigger: 'manual' })
    expect(made.headers.get('location')).toBe(`/v1/runs/${made.body.id}`)
    expect(Run.strict().parse(made.body)).toEqual(made.body)
    const got = await api.call('GET', made.headers.get('location') ?? '')
    expect(got.body.id).toBe(made.body.id)
  })

  it('does not move the schedule', async () => {
    const before = (await api.call('GET', `${base}/nightly`)).body.next_run_at
    await api.call('POST', path)
    expect((await api.call('GET', `${base}/nightly`)).body.next_run_at).toBe(before)
  })

  it('takes an empty object, and names a field with 400', async () => {
    expect((await api.call('POST', path, { body: {} })).status).toBe(201)
    const refused = await api.call('POST', path, { body: { payload: 1 } })
    expect(refused.status).toBe(400)
    expect(refused.body.errors[0].field).toBe('payload')
  })

  it('runs while the job is paused', async () => {
    await api.call('POST', `${base}/nightly/pause`)
    expect((await api.call('POST', path)).status).toBe(201)
    await api.call('POST', `${base}/nightly/resume`)
  })

  it('answers 404 where there is no job', async () => {
    expect((await api.call('POST', `${base}/absent/trigger`)).status).toBe(404)
  })

  itIsGuarded({ api: () => api, method: 'POST', path: () => path, scope: 'run', ofOneThing: true })
})
