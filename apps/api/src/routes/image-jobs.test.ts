import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestApi, type TestApi } from '../../test/api-fixture.ts'
import { EXAMPLE_IMAGE_PUT, EXAMPLE_MIXED_PUT } from '../examples.ts'
import { Job, Run } from '../named-schemas.ts'

let api: TestApi
beforeAll(async () => {
  api = await startTestApi()
})
afterAll(() => api.close())

const MASK = { secret: '••••' }
const WHEN = { cron: '0 4 * * *' }
const fieldsOf = (answer: { body: { errors: { field: string }[] } }) =>
  answer.body.errors.map(error => error.field).sort()

it('makes a job of the example, shows it with its defaults and masks, and takes back what it gave', async () => {
  const made = await api.call('PUT', '/v1/jobs/report', { body: EXAMPLE_IMAGE_PUT })
  expect(made.status).toBe(201)
  expect(Job.parse(made.body)).toEqual(made.body)
  expect(made.body).toMatchObject({ kind: 'image', max_attempts: 3 })
  expect(made.body.image).toEqual({
    ...EXAMPLE_IMAGE_PUT.image,
    env: { LOG_LEVEL: 'info', API_TOKEN: MASK },
    max_wait_seconds: null,
  })
  const got = await api.call('GET', '/v1/jobs/report')
  const again = await api.call('PUT', '/v1/jobs/report', { body: got.text })
  expect([again.status, again.headers.get('workly-changed')]).toEqual([200, 'false'])
  expect(again.headers.get('etag')).toBe(got.headers.get('etag'))
})

it('makes a pipeline of a call and an image, and takes back what it gave', async () => {
  const made = await api.call('PUT', '/v1/schedules/mixed', { body: EXAMPLE_MIXED_PUT })
  expect(made.status).toBe(201)
  expect(Job.parse(made.body)).toEqual(made.body)
  expect(made.body.steps.map((step: object) => Object.keys(step).sort())).toEqual([
    ['headers', 'id', 'method', 'payload', 'response', 'timeout_seconds', 'url'],
    ['id', 'image', 'max_attempts'],
  ])
  const again = await api.call('PUT', '/v1/jobs/mixed', { body: made.text })
  expect([again.status, again.headers.get('workly-changed')]).toEqual([200, 'false'])
})

it('shows in a run exactly what is run', async () => {
  for (const name of ['report', 'mixed']) {
    const run = await api.call('POST', `/v1/jobs/${name}/trigger`)
    expect(run.status).toBe(201)
    expect(Run.parse(run.body)).toEqual(run.body)
    const { image } = (await api.call('GET', `/v1/jobs/${name}`)).body
    if (image) expect(run.body.request).toEqual({ kind: 'image', ...image })
    else expect(run.body.request.steps.map((s: { kind: string }) => s.kind)).toEqual(['http', 'image'])
    await api.call('POST', `/v1/runs/${run.body.id}/cancel`)
  }
})

it('lists by kind', async () => {
  await api.call('PUT', '/v1/jobs/call', { body: { ...WHEN, url: 'https://target.example/' } })
  const named = async (kind: string) =>
    (await api.call('GET', `/v1/jobs?kind=${kind}`)).body.data.map((job: { name: string }) => job.name)
  expect(await named('image')).toEqual(['report'])
  expect(await named('pipeline')).toEqual(['mixed'])
  expect(await named('http')).toEqual(['call'])
})

it('names every offending field with 400, what cannot be read together with what the rules refuse', async () => {
  const image = {
    name: 'registry.example.com/team/report',
    tga: '1',
    env: { callbackUri: 'x', GOOD: 1 },
    env_from: [{ secret: 'a', config_map: 'b' }, { secret: '../x' }],
    timeout_seconds: 604_801,
    args: [],
  }
  const wrong = [
    'args',
    'env.GOOD',
    'env_from[0]',
    'env_from[1].secret',
    'name',
    'tag',
    'tga',
    'timeout_seconds',
  ]
  const alone = await api.call('PUT', '/v1/jobs/wrong', {
    body: { cron: '61 * * * *', image, method: 'GET' },
  })
  expect(alone.status).toBe(400)
  expect(fieldsOf(alone)).toEqual(['cron', ...wrong.map(field => `image.${field}`), 'method'])
  expect(alone.text).toContain('Did you mean tag?')
  expect(alone.text).toContain('a whole number from 1 to 604800')
  const steps = [
    { id: 'a', url: 'ftp://x' },
    { id: 'b', image, payload: 1 },
  ]
  const inSteps = await api.call('PATCH', '/v1/jobs/call', { body: { steps } })
  expect(inSteps.status).toBe(400)
  expect(fieldsOf(inSteps)).toEqual(
    ['steps[0].url', 'steps[1].payload', ...wrong.map(field => `steps[1].image.${field}`)].sort(),
  )
  expect((await api.call('GET', '/v1/jobs/call')).body.kind).toBe('http')
})

it('keeps the value behind a mask only for the same image, and says which field', async () => {
  const put = (image: object) => api.call('PUT', '/v1/jobs/report', { body: { ...WHEN, image } })
  const env = { API_TOKEN: MASK }
  expect((await put({ name: 'team/report', tag: '1.5.0', env })).status).toBe(200)
  const elsewhere = await put({ name: 'team/thief', tag: '1.5.0', env })
  expect([elsewhere.status, fieldsOf(elsewhere)]).toEqual([400, ['image.env.API_TOKEN']])
  const patched = await api.call('PATCH', '/v1/jobs/report', {
    body: { image: { name: 'team/thief', tag: '1.5.0', env } },
  })
  expect([patched.status, fieldsOf(patched)]).toEqual([400, ['image.env.API_TOKEN']])
})

it('answers 400 to more than the operator allows a container, and 413 to more than a request may have', async () => {
  const of = (words: number, length: number) => ({
    ...WHEN,
    image: { name: 'a', tag: '1', args: Array.from({ length: words }, () => 'x'.repeat(length)) },
  })
  const large = await api.call('PUT', '/v1/jobs/large', { body: of(5, 32_768) })
  expect([large.status, fieldsOf(large)]).toEqual([400, ['image']])
  expect(large.text).toContain('at most 131072 are allowed')
  const huge = await api.call('PUT', '/v1/jobs/large', { body: of(70, 32_768) })
  expect([huge.status, huge.body.code]).toEqual([413, 'payload_too_large'])
})

it('does not show or touch the image of another tenant', async () => {
  const key = api.foreign.keys.write
  expect((await api.call('GET', '/v1/jobs/report', { key })).status).toBe(404)
  const patch = { image: { name: 'team/report', tag: '9' } }
  expect((await api.call('PATCH', '/v1/jobs/report', { key, body: patch })).status).toBe(404)
  const masked = { ...WHEN, image: { name: 'team/report', tag: '9', env: { API_TOKEN: MASK } } }
  const stolen = await api.call('PUT', '/v1/jobs/report', { key, body: masked })
  expect([stolen.status, fieldsOf(stolen)]).toEqual([400, ['image.env.API_TOKEN']])
})

it('refuses a test call of an image, naming the field', async () => {
  const image = { name: 'team/report', tag: '1' }
  const refused = await api.call('POST', '/v1/jobs/test', { body: { url: 'https://target.example/', image } })
  expect([refused.status, fieldsOf(refused)]).toEqual([400, ['image']])
  expect(refused.text).toContain('save the job and run it')
})

it('answers 400 to thousands of bad entries, wherever they stand', async () => {
  const { image } = EXAMPLE_IMAGE_PUT
  const bad = Array.from({ length: 19_000 }, (_, i) => [`${i}`, i])
  for (const body of [
    { ...WHEN, image: { ...image, env: Object.fromEntries(bad) } },
    { ...WHEN, url: 'https://target.example/', headers: Object.fromEntries(bad) },
    { ...WHEN, url: 'https://target.example/', tags: bad.map(([, i]) => i) },
  ]) {
    const refused = await api.call('PUT', '/v1/jobs/many', { body })
    expect(refused.status).toBe(400)
    expect(refused.body.detail).toMatch(/And \d+ more\.$/)
  }
})
