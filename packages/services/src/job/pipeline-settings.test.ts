import type { FieldIssue, JobPut } from '@workly/core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Desk, openDesk } from '../../test/job-desk.ts'
import { pipeline, step } from '../../test/pipelines.ts'
import { fresh } from '../../test/tenants.ts'
import { setProjectDefaults } from '../project/set-project-defaults.ts'
import { getJob } from './get-job.ts'
import { listJobs } from './list-jobs.ts'
import { patchJob } from './patch-job.ts'
import { putJob } from './put-job.ts'
import { testRequest } from './test-request.ts'

let desk: Desk
beforeAll(async () => {
  desk = await openDesk()
})
afterAll(() => desk?.drop())

const MASK = { secret: '••••' }
const daily = { cron: '0 3 * * *' }

async function issuesOf(write: Promise<unknown>): Promise<FieldIssue[]> {
  return write.then(
    () => [],
    (error: { issues?: FieldIssue[] }) => error.issues ?? [],
  )
}

const put = (settings: JobPut, name = fresh('pipe')) => putJob(desk.ctx, name, { ...daily, ...settings })

test('a job with steps is a pipeline; it shows its steps with their defaults, and no request of its own', async () => {
  const { job } = await put({
    steps: [step('load', { payload: { rows: 3 } }), step('train', { method: 'PUT', max_attempts: 9 })],
  })
  expect(job.kind).toBe('pipeline')
  expect(job.steps).toEqual([
    {
      id: 'load',
      url: 'https://load.example/',
      method: 'POST',
      headers: {},
      payload: { rows: 3 },
      response: 'sync',
      timeout_seconds: 30,
    },
    {
      id: 'train',
      url: 'https://train.example/',
      method: 'PUT',
      headers: {},
      response: 'sync',
      timeout_seconds: 30,
      max_attempts: 9,
    },
  ])
  for (const field of ['url', 'method', 'headers', 'payload', 'body', 'response', 'timeout_seconds'])
    expect(job).not.toHaveProperty(field)
  expect(job.max_attempts).toBe(3)
  const { data } = await listJobs(desk.ctx, { kind: 'pipeline' })
  expect(data.map(item => item.id)).toContain(job.id)
})

test('what was read can be written again and changes nothing, and the order of steps is a setting', async () => {
  const steps = [
    step('load', { headers: { 'X-Key': { secret: 's3cret' } }, payload: { big: 1 } }),
    step('train', { response: { callback: { max_wait_seconds: 60 } }, retry_on_4xx: true }),
  ]
  const { job } = await put({ steps }, 'again')
  const { execute_now: _, ...read } = job as JobPut
  expect(await putJob(desk.ctx, 'again', read)).toMatchObject({ changed: false })
  expect(await putJob(desk.ctx, 'again', { ...daily, steps })).toMatchObject({ changed: false })
  expect(await putJob(desk.ctx, 'again', { ...daily, steps: steps.toReversed() })).toMatchObject({
    changed: true,
  })
})

test('the defaults of the project fill in the steps of a PUT', async () => {
  await setProjectDefaults(desk.ctx, { timeout_seconds: 77, max_attempts: 1 })
  const { job } = await put({ steps: [step('a'), step('b', { timeout_seconds: 5 })] })
  await setProjectDefaults(desk.ctx, {})
  expect(job.steps?.map(s => s.timeout_seconds)).toEqual([77, 5])
  expect(job.max_attempts).toBe(1)
  expect(job.steps?.[0]).not.toHaveProperty('max_attempts')
})

test('steps and the fields of a request exclude each other, each such field named', async () => {
  const settings: JobPut = {
    steps: [step('a'), step('b')],
    url: 'https://target.example/',
    method: 'GET',
    headers: {},
    payload: null,
    body: 'x',
    content_type: 'text/plain',
    response: 'sync',
    timeout_seconds: 3,
  }
  expect((await issuesOf(put(settings))).map(issue => issue.field).sort()).toEqual([
    'body',
    'content_type',
    'headers',
    'method',
    'payload',
    'response',
    'timeout_seconds',
    'url',
  ])
})

test('every offending field of every step is named at once, at its place', async () => {
  const issues = await issuesOf(
    put({
      cron: '61 * * * *',
      steps: [
        step('a', { url: 'http://plain.example/' }),
        step('b', { url: null }),
        step('a', { headers: { Host: 'x', 'X-Secret': MASK }, payload: 1, body: 'both' }),
        step('c', { method: 'GET', payload: {} }),
      ],
    }),
  )
  expect(issues.map(issue => issue.field).sort()).toEqual([
    'cron',
    'steps[0].url',
    'steps[1].url',
    'steps[2].body',
    'steps[2].headers.Host',
    'steps[2].headers.X-Secret',
    'steps[2].id',
    'steps[3].payload',
  ])
  expect(issues.find(issue => issue.field === 'steps[2].id')?.message).toContain('steps[0] has this id')
})

test('a step whose target is not on the public internet is taken with a warning at its place', async () => {
  const { job } = await put({ steps: [step('a'), step('b', { url: 'https://10.0.0.1/' })] })
  expect(job.warnings).toMatchObject([{ code: 'blocked_target', field: 'steps[1].url' }])
})

test('PATCH with steps replaces them all; one that does not speak of them leaves them', async () => {
  const name = fresh('patched')
  await put({ steps: [step('a'), step('b', { max_attempts: 2 })], overlap: 'queue' }, name)
  const other = await patchJob(desk.ctx, name, { description: 'two steps' })
  expect(other.job.steps?.map(s => [s.id, s.max_attempts])).toEqual([
    ['a', undefined],
    ['b', 2],
  ])
  const { job } = await patchJob(desk.ctx, name, { steps: [step('b'), step('c')] })
  expect(job.steps?.map(s => [s.id, s.max_attempts])).toEqual([
    ['b', undefined],
    ['c', undefined],
  ])
  expect(job).toMatchObject({ overlap: 'queue', description: 'two steps' })
})

test('PATCH with steps makes a request a pipeline, with a url a pipeline a request; what is left out of both is refused', async () => {
  const name = fresh('turned')
  await put({ url: 'https://target.example/', headers: { 'X-A': 'a' }, payload: 1, timeout_seconds: 9 }, name)
  const turned = await patchJob(desk.ctx, name, { steps: [step('a'), step('b')] })
  expect(turned.job).toMatchObject({ kind: 'pipeline', steps: [{ id: 'a', headers: {} }, { id: 'b' }] })
  expect(await issuesOf(patchJob(desk.ctx, name, { method: 'PUT' }))).toMatchObject([{ field: 'method' }])
  expect(await issuesOf(patchJob(desk.ctx, name, { steps: null }))).toMatchObject([{ field: 'url' }])
  const back = await patchJob(desk.ctx, name, { url: 'https://target.example/' })
  expect(back.job).toMatchObject({ kind: 'http', method: 'POST', timeout_seconds: 30 })
  expect(back.job).not.toHaveProperty('steps')
})

test('a mask keeps the value of the same header of the same step, wherever the step stands, while its origin stays', async () => {
  const name = fresh('masked')
  const secretive = (id: string, secret: string) => step(id, { headers: { 'X-Key': { secret } } })
  await put({ steps: [secretive('a', 'of a'), secretive('b', 'of b')] }, name)
  const stored = async () => {
    const rows = await desk.sql<{ headers: Record<string, { secret_value: string }> }[]>`
      select s.step->'headers' as headers from jobs j join request_versions v on v.id = j.request_version_id
      cross join lateral jsonb_array_elements(v.request->'steps') with ordinality as s(step, place)
      where j.name = ${name} order by s.place`
    return rows.map(row => row.headers)
  }
  const [ofA, ofB] = await stored()
  expect((await getJob(desk.ctx, name)).job.steps?.map(s => s.headers)).toEqual([
    { 'X-Key': MASK },
    { 'X-Key': MASK },
  ])
  await patchJob(desk.ctx, name, {
    steps: [step('b', { headers: { 'x-key': MASK }, url: 'https://b.example/else' }), secretive('a', 'of a')],
  })
  expect(await stored()).toEqual([{ 'x-key': ofB?.['X-Key'] }, ofA])
  const elsewhere = step('b', { headers: { 'X-Key': MASK }, url: 'https://thief.example/' })
  expect(await issuesOf(patchJob(desk.ctx, name, { steps: [step('a'), elsewhere] }))).toMatchObject([
    { field: 'steps[1].headers.X-Key', message: expect.stringMatching(/origin/) },
  ])
  const renamed = step('d', { headers: { 'X-Key': MASK }, url: 'https://b.example/' })
  expect(await issuesOf(patchJob(desk.ctx, name, { steps: [step('a'), renamed] }))).toMatchObject([
    { field: 'steps[1].headers.X-Key', message: expect.stringMatching(/No secret is stored/) },
  ])
  const alone = patchJob(desk.ctx, name, { url: 'https://b.example/', headers: { 'X-Key': MASK } })
  expect(await issuesOf(alone)).toMatchObject([{ field: 'headers.X-Key' }])
})

test('a test call may use the stored secrets of one step of a pipeline, as a call of that step', async () => {
  const name = fresh('tried')
  await put({ steps: [step('a', { headers: { 'X-Key': { secret: 'of a' } } }), step('b')] }, name)
  const call = (more: object) => {
    const sent: Record<string, string>[] = []
    const request = { url: 'https://a.example/', headers: { 'X-Key': MASK }, job: name, ...more }
    const done = testRequest(desk.ctx, request, async outgoing => {
      sent.push(outgoing.headers)
      return {
        class: 'ok',
        message: null,
        status: 200,
        headers: {},
        body: new Uint8Array(),
        bodyTruncated: false,
        timings: { dns: 1, connect: 1, tls: 1, firstByte: 1, total: 1 },
        retryAfterMs: null,
      }
    })
    return { done, sent }
  }
  const made = call({ step: 'a' })
  expect(await made.done).toMatchObject({ step: 'a', state: 'succeeded' })
  expect(made.sent).toMatchObject([{ 'X-Key': 'of a', 'Workly-Step': 'a' }])
  expect(await issuesOf(call({}).done)).toMatchObject([{ field: 'headers.X-Key' }])
  expect(await issuesOf(call({ step: 'b' }).done)).toMatchObject([{ field: 'headers.X-Key' }])
  expect((await issuesOf(call({ step: 'nope' }).done)).map(i => i.field)).toEqual(['step', 'headers.X-Key'])
})

test('the longest pipeline is taken', async () => {
  const steps = Array.from({ length: 50 }, (_, i) => step(`step-${i}`))
  expect((await put(pipeline({ steps }) as JobPut)).job.steps).toHaveLength(50)
})
