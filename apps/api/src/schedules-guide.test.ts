import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { listen, startTestApi, type TestApi } from '../test/api-fixture.ts'
import { type RawAnswer, rawCall } from '../test/raw-call.ts'

/** The schedules guide's calls, as printed there: curl without a key against the embedded default. */

let api: TestApi
let door: Awaited<ReturnType<typeof listen>>
beforeAll(async () => {
  api = await startTestApi()
  const { organizationId, projectId } = api.own.ctx
  door = await listen(api.another({ demoDoor: { organizationId, projectId } }))
})
afterAll(async () => {
  await door.close()
  await api.close()
})

/** What `curl -X METHOD localhost:7337/path -d body` sends: a form's content type, whatever the body is. */
function curl(method: string, path: string, body?: string): Promise<RawAnswer> {
  const form: Record<string, string> =
    body === undefined ? {} : { 'Content-Type': 'application/x-www-form-urlencoded' }
  const headers = { Host: `localhost:${door.port}`, 'User-Agent': 'curl/8.14.1', Accept: '*/*', ...form }
  return rawCall({ port: door.port, method, path, headers, ...(body !== undefined && { body }) })
}

const PRINTED = `{
  "cron": "0 3 * * *",
  "timezone": "Europe/Stockholm",
  "url": "https://api.example.com/reports/nightly",
  "payload": {"kind": "daily"}
}`

describe('the schedules guide', () => {
  it('creates a schedule', async () => {
    const made = await curl('PUT', '/v1/schedules/nightly-report', PRINTED)
    expect(made.status).toBe(201)
    const schedule = JSON.parse(made.text)
    expect(schedule.next_runs).toHaveLength(5)
    for (const at of schedule.next_runs) {
      const local = new Date(at).toLocaleTimeString('sv-SE', { timeZone: 'Europe/Stockholm' })
      expect(local).toBe('03:00:00')
    }
    expect(schedule).toMatchObject({
      method: 'POST',
      timeout_seconds: 30,
      max_attempts: 3,
      min_backoff_seconds: 5,
      max_backoff_seconds: 300,
      backoff_multiplier: 2,
      retry_on_4xx: false,
      overlap: 'skip',
      missed: 'skip',
    })
  })

  it('is declarative: what is left out goes back to its default', async () => {
    await curl('PUT', '/v1/schedules/nightly-report', PRINTED.replace('{\n', '{\n  "max_attempts": 9,\n'))
    const back = await curl('PUT', '/v1/schedules/nightly-report', PRINTED)
    expect(back.status).toBe(200)
    expect(JSON.parse(back.text).max_attempts).toBe(3)
  })

  it.each([
    '*/15 * * * *',
    '0 * * * *',
    '0 3 * * *',
    '0 9 * * mon-fri',
    '30 4 * * sun',
    '0 0 1 * *',
    '0 0 13 * fri',
  ])('takes the expression %s', async cron => {
    const body = JSON.stringify({ cron, url: 'https://api.example.com/' })
    expect((await curl('PUT', '/v1/schedules/expression', body)).status).toBeLessThan(300)
  })

  it.each(['@hourly', '@daily', '@weekly', '@monthly', '@yearly'])('takes the macro %s', async cron => {
    const body = JSON.stringify({ cron, url: 'https://api.example.com/' })
    expect((await curl('PUT', '/v1/schedules/expression', body)).status).toBe(200)
  })

  it('refuses the one that lost its asterisk in print, naming the field', async () => {
    const body = JSON.stringify({ cron: '/15 * * *', url: 'https://api.example.com/' })
    const refused = await curl('PUT', '/v1/schedules/expression', body)
    expect(refused.status).toBe(400)
    expect(JSON.parse(refused.text).errors[0].field).toBe('cron')
  })

  it('runs it now, also while it is paused, and does not move its next run', async () => {
    expect((await curl('POST', '/v1/schedules/nightly-report/pause')).status).toBe(200)
    const run = await curl('POST', '/v1/schedules/nightly-report/trigger')
    expect(run.status).toBe(201)
    expect(JSON.parse(run.text).trigger).toBe('manual')
    expect((await curl('POST', '/v1/schedules/nightly-report/resume')).status).toBe(200)
  })

  it('lists its runs, gets one, cancels and retries it', async () => {
    const runs = JSON.parse((await curl('GET', '/v1/schedules/nightly-report/runs')).text).data
    expect(runs).toHaveLength(1)
    const path = `/v1/runs/${runs[0].id}`
    expect(JSON.parse((await curl('GET', path)).text)).toMatchObject({
      job: 'nightly-report',
      request: { url: 'https://api.example.com/reports/nightly', body: '{"kind":"daily"}' },
    })
    expect((await curl('POST', `${path}/cancel`)).status).toBe(200)
    expect((await curl('POST', `${path}/retry`)).status).toBe(200)
    expect((await curl('GET', '/v1/schedules/nightly-report/runs?state=failed')).status).toBe(200)
  })

  it('is the same resource as a job', async () => {
    const schedule = JSON.parse((await curl('GET', '/v1/schedules/nightly-report')).text)
    const job = JSON.parse((await curl('GET', '/v1/jobs/nightly-report')).text)
    expect(job.id).toBe(schedule.id)
  })

  it('deletes it, and its runs', async () => {
    expect((await curl('DELETE', '/v1/schedules/nightly-report')).status).toBe(204)
    expect(JSON.parse((await curl('GET', '/v1/runs')).text).data).toEqual([])
  })
})
