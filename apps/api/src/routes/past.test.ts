import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { NIGHTLY, startTestApi, type TestApi } from '../../test/api-fixture.ts'
import { itIsGuarded } from '../../test/guards.ts'
import { Backfill, LedgerEntry } from '../named-schemas.ts'

let api: TestApi
beforeAll(async () => {
  api = await startTestApi()
  await api.call('PUT', '/v1/jobs/nightly', { body: NIGHTLY })
})
afterAll(() => api.close())

const pastDay = () => ({
  from: new Date(Date.now() - 86_400_000).toISOString(),
  to: new Date(Date.now() - 1_000).toISOString(),
})

describe.each(['/v1/jobs', '/v1/schedules'])('GET %s/{name}/times', base => {
  const path = `${base}/nightly/times`

  it('answers 200 with what became of each time, as the document has it', async () => {
    const { from, to } = pastDay()
    const got = await api.call('GET', `${path}?from=${from}&to=${to}`)
    expect(got.status).toBe(200)
    expect(got.body.data).toHaveLength(1)
    expect(LedgerEntry.strict().parse(got.body.data[0])).toEqual(got.body.data[0])
    expect(got.body.data[0].outcome).toBe('not_created')
  })

  it('names every bad field of the query with 400', async () => {
    const got = await api.call('GET', `${path}?from=yesterday&limit=0&colour=red`)
    expect(got.status).toBe(400)
    expect(got.body.errors.map((e: { field: string }) => e.field).sort()).toEqual(['colour', 'from', 'limit'])
  })

  itIsGuarded({ api: () => api, method: 'GET', path: () => path, scope: 'read', ofOneThing: true })
})

describe.each(['/v1/jobs', '/v1/schedules'])('POST %s/{name}/backfill', base => {
  const path = `${base}/nightly/backfill`

  it('counts first, then makes the runs', async () => {
    const counted = await api.call('POST', path, { body: { ...pastDay(), dry_run: true } })
    expect(counted.status).toBe(200)
    expect(Backfill.strict().parse(counted.body)).toEqual(counted.body)
    expect(counted.body).toMatchObject({ dry_run: true, times: 1, runs: [] })
    const made = await api.call('POST', path, { body: pastDay() })
    expect(made.body.created + made.body.unchanged).toBe(1)
  })

  it('answers 400 with each bad field, a range of too many times, and times ahead', async () => {
    const bad = await api.call('POST', path, { body: { from: 1, to: 'x', dry: true } })
    expect(bad.status).toBe(400)
    expect(bad.body.errors.map((e: { field: string }) => e.field).sort()).toEqual(['dry', 'from', 'to'])
    const ahead = { ...pastDay(), to: new Date(Date.now() + 60_000).toISOString() }
    expect((await api.call('POST', path, { body: ahead })).body.errors[0].field).toBe('to')
  })

  itIsGuarded({
    api: () => api,
    method: 'POST',
    path: () => path,
    body: pastDay(),
    scope: 'write',
    ofOneThing: true,
  })
})
