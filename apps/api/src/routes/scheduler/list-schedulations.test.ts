import { pipelineSchedulationRead, restRequestSchedulationRead } from '@workly/core'
import { putJob } from '@workly/services'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { NIGHTLY, startTestApi, type TestApi } from '../../../test/api-fixture.ts'
import { itIsGuarded } from '../../../test/guards.ts'
import { EXAMPLE_PIPELINE, EXAMPLE_REST_REQUEST } from './scheduler-examples.ts'

let api: TestApi
beforeAll(async () => {
  api = await startTestApi()
})
afterAll(() => api.close())

const REST = '/scheduler/organization/own/restRequest'
const PIPELINE = '/scheduler/organization/own/pipeline'

const ids = (body: { id: string }[]) => body.map(one => one.id)

/** What the list of REST requests shows of a job that is put in `/v1`. */
async function shown(name: string, settings: object) {
  const put = await api.call('PUT', `/v1/jobs/${name}`, { body: { cron: '0 3 * * *', ...settings } })
  expect(put.status, put.text).toBe(201)
  const { body } = await api.call('GET', REST)
  return body.find((one: { id: string }) => one.id === name)
}

describe('GET …/restRequest and …/pipeline', () => {
  it('answers an empty array where there are none', async () => {
    const got = await api.call('GET', REST)
    expect(got.status).toBe(200)
    expect(got.headers.get('content-type')).toBe('application/json')
    expect(got.text).toBe('[]')
  })

  it('answers what was created, of its own kind and project only, newest first', async () => {
    await api.call('POST', REST, { body: EXAMPLE_REST_REQUEST })
    await api.call('POST', REST, { body: { ...EXAMPLE_REST_REQUEST, id: 'second' } })
    await api.call('POST', PIPELINE, { body: EXAMPLE_PIPELINE })
    const elsewhere = { body: EXAMPLE_REST_REQUEST, key: api.foreign.keys.write }
    await api.call('POST', REST.replace('/own/', '/foreign/'), elsewhere)
    const rest = await api.call('GET', REST, { key: api.own.keys.read })
    expect(rest.body).toEqual([{ ...EXAMPLE_REST_REQUEST, id: 'second' }, EXAMPLE_REST_REQUEST])
    const pipelines = await api.call('GET', PIPELINE)
    expect(ids(pipelines.body)).toEqual(['time-series-trainer'])
    expect(pipelineSchedulationRead.strict().array().parse(pipelines.body)).toEqual(pipelines.body)
  })

  it('what a list shows can be created again, and is the same job', async () => {
    const { body } = await api.call('GET', PIPELINE)
    await api.call('DELETE', `${PIPELINE}/time-series-trainer`)
    const again = await api.call('POST', PIPELINE, { body: body[0] })
    expect(again.status, again.text).toBe(201)
    expect(again.body).toEqual(body[0])
  })

  it('what is made here can be put again in /v1 as it is read there, and changes nothing', async () => {
    for (const name of ['nightly-export', 'time-series-trainer']) {
      const got = await api.call('GET', `/v1/jobs/${name}`)
      const again = await api.call('PUT', `/v1/jobs/${name}`, { body: got.text })
      expect(again.headers.get('workly-changed'), again.text).toBe('false')
    }
  })

  it('a change in /v1 shows here', async () => {
    await api.call('PATCH', '/v1/jobs/second', { body: { timezone: 'Asia/Tokyo', response: 'sync' } })
    const { body } = await api.call('GET', REST)
    expect(body.find((one: { id: string }) => one.id === 'second')).toMatchObject({
      schedule: { cron: { timeZone: 'Asia/Tokyo' } },
      response: { sync: { timeout: 30 } },
    })
  })

  it('shows a job of /v1 with the request it sends: a text with its content type among the headers', async () => {
    const url = 'https://a.example/x'
    const xml = await shown('xml', { url, method: 'PUT', body: '<a/>', content_type: 'application/xml' })
    expect(xml).toEqual({
      id: 'xml',
      schedule: { cron: { expression: '0 3 * * *', timeZone: 'UTC' }, executeNow: false },
      restRequest: { method: 'PUT', url, headers: { 'Content-Type': 'application/xml' }, body: '<a/>' },
      response: { sync: { timeout: 30 } },
    })
    expect((await shown('text', { url, payload: 'a text' })).restRequest).toEqual({
      method: 'POST',
      url,
      headers: { 'Content-Type': 'application/json' },
      body: '"a text"',
    })
    expect((await shown('null', { url, payload: null })).restRequest.body).toBeNull()
    expect('body' in (await shown('none', { url })).restRequest).toBe(false)
  })

  it.each(['xml', 'text', 'null', 'none'])('%s, made again from its list, sends the same', async name => {
    const { body } = await api.call('GET', REST)
    const of = (id: string, list: { id: string }[]) => list.find(one => one.id === id)
    const again = await api.call('POST', REST, { body: { ...of(name, body), id: `${name}-again` } })
    expect(again.status, again.text).toBe(201)
    const sent = async (job: string) => {
      const run = await api.call('POST', `/v1/jobs/${job}/trigger`)
      const { body: text, content_type: type, headers, method, url } = run.body.request
      return { text, method, url, type: type ?? headers['Content-Type'] ?? null }
    }
    expect(await sent(`${name}-again`)).toEqual(await sent(name))
  })

  it('masks secrets, keeps every digit, and shows a time given once as `at`', async () => {
    const put = `{"at": "2030-01-01T00:00:00Z", "url": "https://a.example/", "payload": {"n": 9007199254740993},
      "headers": {"X-Key": {"secret": "s3cret"}}}`
    await api.call('PUT', '/v1/jobs/once', { body: put })
    const got = await api.call('GET', REST)
    expect(got.text).toContain('"body":{"n":9007199254740993}')
    expect(got.text).not.toContain('s3cret')
    const once = got.body.find((one: { id: string }) => one.id === 'once')
    expect(once.schedule).toEqual({ at: '2030-01-01T00:00:00Z', executeNow: false })
    expect(once.restRequest.headers).toEqual({ 'X-Key': { secret: '••••' } })
    expect(restRequestSchedulationRead.strict().array().parse(got.body)).toHaveLength(got.body.length)
  })

  it('leaves out a deleted one, and shows one that has become another kind under that', async () => {
    await api.call('DELETE', `${REST}/nightly-export`)
    const steps = ['a', 'b'].map(id => ({ id, url: 'https://a.example/' }))
    await api.call('PUT', '/v1/jobs/second', { body: { cron: '0 3 * * *', steps } })
    const rest = ids((await api.call('GET', REST)).body)
    expect(rest).not.toContain('nightly-export')
    expect(rest).not.toContain('second')
    expect(ids((await api.call('GET', PIPELINE)).body)).toContain('second')
  })

  it('answers all of them, however many, each once', async () => {
    const ctx = api.own.ctx
    const names = Array.from({ length: 450 }, (_, i) => `many-${i}`)
    for (let i = 0; i < names.length; i += 25) {
      await Promise.all(names.slice(i, i + 25).map(name => putJob(ctx, name, NIGHTLY)))
    }
    const got = ids((await api.call('GET', REST)).body)
    expect(got.filter(id => id.startsWith('many-')).sort()).toEqual([...names].sort())
    expect(new Set(got).size).toBe(got.length)
  })

  it('an answer that cannot be read to its end is no complete array', async () => {
    const { sql } = api.services
    await sql`update request_versions set request = '{"kind": "http", "url": 7, "payload": "{"}'
      where job_id in (select id from jobs where name = 'xml')`
    await expect(api.call('GET', REST)).rejects.toThrow()
    expect(api.log.join('')).toContain('answer broken off')
    await api.call('DELETE', '/v1/jobs/xml')
    expect((await api.call('GET', REST)).status).toBe(200)
  })

  it('refuses a query with 400, and another organization with 404', async () => {
    const refused = await api.call('GET', `${REST}?limit=1`)
    expect(refused.status).toBe(400)
    expect(refused.body.errors).toEqual([{ field: 'limit', message: 'is not known here.' }])
    expect((await api.call('GET', REST.replace('/own/', '/foreign/'))).status).toBe(404)
  })

  it('answers HEAD without a body, and names the methods of the address', async () => {
    const head = await api.call('HEAD', REST)
    expect([head.status, head.text]).toEqual([200, ''])
    const wrong = await api.call('PATCH', REST, { body: {} })
    expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS, POST'])
  })

  for (const path of [REST, PIPELINE])
    itIsGuarded({ api: () => api, method: 'GET', path: () => path, scope: 'read', ofOneThing: true })
})
