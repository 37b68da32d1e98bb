import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApi, type TestApi } from '../../test/api-fixture.ts'
import { itIsGuarded } from '../../test/guards.ts'
import { Preview } from '../named-schemas.ts'

let api: TestApi
beforeAll(async () => {
  api = await startTestApi()
})
afterAll(() => api.close())

describe.each(['/v1/jobs', '/v1/schedules'])('POST %s/preview', base => {
  const path = `${base}/preview`
  const body = { cron: '0 3 * * *', timezone: 'Europe/Stockholm', after: '2026-12-01T00:00:00Z', count: 2 }

  it('answers 200 with the next times, words and warnings', async () => {
    const shown = await api.call('POST', path, { body, key: api.own.keys.read })
    expect(shown.status).toBe(200)
    expect(shown.body.next_runs.map((at: string) => Date.parse(at))).toEqual([
      Date.parse('2026-12-01T02:00:00Z'),
      Date.parse('2026-12-02T02:00:00Z'),
    ])
    expect(shown.body.description).toContain('03:00')
    expect(Preview.parse(shown.body)).toEqual(shown.body)
  })

  it('answers five times after now unless told otherwise, and saves nothing', async () => {
    const shown = await api.call('POST', path, { body: { interval_minutes: 15 } })
    expect(shown.body.next_runs).toHaveLength(5)
    expect((await api.call('GET', base)).body.data).toEqual([])
  })

  it('answers up to a hundred times', async () => {
    const shown = await api.call('POST', path, { body: { ...body, count: 100 } })
    expect(new Set(shown.body.next_runs).size).toBe(100)
  })

  it.each([
    [{ cron: '* * * *' }, ['cron']],
    [{ cron: '0 3 * * *', timezone: 'Mars/Olympus' }, ['timezone']],
    [{ cron: '0 3 * * *', count: 101 }, ['count']],
    [{ cron: '0 3 * * *', after: 'yesterday' }, ['after']],
    [{ cron: '0 3 * * *', url: 'https://example.com' }, ['url']],
    [{ count: 0, dialect: 'quartz' }, ['count', 'cron', 'dialect']],
  ])('answers 400 for %j', async (bad, fields) => {
    const refused = await api.call('POST', path, { body: bad })
    expect(refused.status).toBe(400)
    expect(refused.body.errors.map((e: { field: string }) => e.field).sort()).toEqual(fields)
  })

  it('answers 400 without a body', async () => {
    expect((await api.call('POST', path)).status).toBe(400)
  })

  itIsGuarded({ api: () => api, method: 'POST', path: () => path, body, scope: 'read', ofOneThing: false })
})
