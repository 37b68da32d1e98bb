import type { FieldIssue, JobPut, PipelineStep } from '@workly/core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { image, imageJob } from '../../test/images.ts'
import { DAILY, type Desk, openDesk } from '../../test/job-desk.ts'
import { step } from '../../test/pipelines.ts'
import { auditRows, fresh } from '../../test/tenants.ts'
import { setProjectDefaults } from '../project/set-project-defaults.ts'
import { getRun } from '../run/get-run.ts'
import { listJobs } from './list-jobs.ts'
import { patchJob } from './patch-job.ts'
import { putJob } from './put-job.ts'
import { testRequest } from './test-request.ts'
import { triggerJob } from './trigger-job.ts'

let desk: Desk
beforeAll(async () => {
  desk = await openDesk()
})
afterAll(() => desk?.drop())

const MASK = { secret: '••••' }
const HTTP_ONLY = [
  'url',
  'method',
  'headers',
  'payload',
  'body',
  'content_type',
  'response',
  'timeout_seconds',
] as const

async function issuesOf(write: Promise<unknown>): Promise<FieldIssue[]> {
  return write.then(
    () => [],
    (error: { issues?: FieldIssue[] }) => error.issues ?? [],
  )
}
const fieldsOf = async (write: Promise<unknown>) => (await issuesOf(write)).map(issue => issue.field).sort()

const put = (settings: JobPut, name = fresh('image')) =>
  putJob(desk.ctx, name, { cron: '0 3 * * *', ...settings })

/** The job's versions of its request, the oldest first. */
const versions = async (name: string) => {
  const rows = await desk.sql<{ request: { kind: string }; host: string; is_present: boolean }[]>`
    select v.request, v.host, v.id = j.request_version_id as is_present
    from jobs j join request_versions v on v.job_id = j.id where j.name = ${name} order by v.id`
  return rows
}

test('a job with an image shows it with its defaults, and no request of its own', async () => {
  const { job } = await put({ image: image() })
  expect(job).toMatchObject({ kind: 'image', warnings: [] })
  expect(job.image).toEqual({
    name: 'team/report',
    tag: '1.4.0',
    env: {},
    env_from: [],
    timeout_seconds: 3600,
    max_wait_seconds: null,
  })
  for (const field of [...HTTP_ONLY, 'steps']) expect(job).not.toHaveProperty(field)
  const { data } = await listJobs(desk.ctx, { kind: 'image' })
  expect(data.find(item => item.id === job.id)?.image).toEqual(job.image)
  expect((await listJobs(desk.ctx, { kind: 'http' })).data.map(item => item.id)).not.toContain(job.id)
})

test('everything an image may say is kept, and what was read can be written again and changes nothing', async () => {
  const full = image({
    command: ['/bin/report', ''],
    args: ['--day', '$(DAY)', '🕐'],
    env: { LEVEL: 'info', EMPTY: '', 'a.b-c': 'line\nline', TOKEN: { secret: 's3cret' } },
    env_from: [{ secret: 'db' }, { config_map: 'conf', prefix: 'APP_' }],
    timeout_seconds: 300,
    max_wait_seconds: 360,
  })
  const { job } = await put({ image: full }, 'again')
  expect(job.image).toEqual({ ...full, env: { ...full.env, TOKEN: MASK } })
  const { execute_now: _, ...read } = job as JobPut
  expect(await putJob(desk.ctx, 'again', read)).toMatchObject({ changed: false })
  expect(await put({ image: full }, 'again')).toMatchObject({ changed: false })
  expect(await patchJob(desk.ctx, 'again', {})).toMatchObject({ changed: false })
  expect(await versions('again')).toHaveLength(1)
  const nulls = { command: null, args: null, env: null, env_from: null, timeout_seconds: null }
  const plain = await put({ image: image({ ...nulls, max_wait_seconds: null }) }, 'again')
  expect(plain.job.image).not.toHaveProperty('command')
  expect(await put({ image: image() }, 'again')).toMatchObject({ changed: false })
})

test('an empty prefix is none', async () => {
  const { job } = await put({ image: image({ env_from: [{ secret: 'db', config_map: null, prefix: '' }] }) })
  expect(job.image?.env_from).toEqual([{ secret: 'db' }])
})

test("the project's timeout is that of calls and stands for no container's", async () => {
  await setProjectDefaults(desk.ctx, { timeout_seconds: 77, max_attempts: 1 })
  const alone = await put({ image: image() })
  const mixed = await put({ steps: [step('call'), { id: 'run', image: image() }] })
  await setProjectDefaults(desk.ctx, {})
  expect(alone.job).toMatchObject({ max_attempts: 1, image: { timeout_seconds: 3600 } })
  expect(mixed.job.steps).toMatchObject([{ timeout_seconds: 77 }, { image: { timeout_seconds: 3600 } }])
})

test('a pipeline may mix requests and images; an image step shows no field of a request', async () => {
  const { job } = await put({
    steps: [step('export'), { id: 'train', image: image({ args: ['x'] }), max_attempts: 2 }],
  })
  expect(job.kind).toBe('pipeline')
  expect(job.steps?.[1]).toEqual({
    id: 'train',
    image: {
      name: 'team/report',
      tag: '1.4.0',
      args: ['x'],
      env: {},
      env_from: [],
      timeout_seconds: 3600,
      max_wait_seconds: null,
    },
    max_attempts: 2,
  })
  const { execute_now: _, ...read } = job as JobPut
  expect(await putJob(desk.ctx, job.name, read)).toMatchObject({ changed: false })
})

test('exactly one of url, image and steps is given, each field that is too many named', async () => {
  const http: Omit<PipelineStep, 'id'> = {
    url: 'https://target.example/',
    method: 'GET',
    headers: {},
    payload: null,
    body: 'x',
    content_type: 'text/plain',
    response: 'sync',
    timeout_seconds: 3,
  }
  expect(await fieldsOf(put({ image: image(), ...http }))).toEqual([...HTTP_ONLY].sort())
  const inStep = { id: 'run', image: image(), ...http }
  expect(await fieldsOf(put({ steps: [step('a'), inStep] }))).toEqual(
    HTTP_ONLY.map(field => `steps[1].${field}`).sort(),
  )
  expect(await fieldsOf(put({ image: image(), steps: [step('a'), step('b')] }))).toEqual(['image'])
  expect(await issuesOf(put({}))).toMatchObject([{ field: 'url', message: expect.stringContaining('image') }])
  expect(await fieldsOf(put({ steps: [step('a'), { id: 'b' }] }))).toEqual(['steps[1].url'])
})

test('every offending field of an image is named at once, at its place', async () => {
  const bad = image({
    name: 'registry.example.com/team/report',
    tag: '-1',
    env: { callbackUri: 'https://x.example/', '1ST': 'x', GOOD: 'x', NEW: MASK },
    env_from: [
      {},
      { secret: 'a', config_map: 'b' },
      { secret: '../other', prefix: '1_' },
      { config_map: 'UPPER' },
    ],
  })
  const expected = [
    'env.1ST',
    'env.NEW',
    'env.callbackUri',
    'env_from[0]',
    'env_from[1]',
    'env_from[2].prefix',
    'env_from[2].secret',
    'env_from[3].config_map',
    'name',
    'tag',
  ]
  const alone = await issuesOf(put({ cron: '61 * * * *', image: bad }))
  expect(alone.map(issue => issue.field).sort()).toEqual(['cron', ...expected.map(f => `image.${f}`)])
  expect(alone.find(issue => issue.field === 'image.name')?.message).toContain('names a registry')
  expect(await fieldsOf(put({ steps: [step('a'), { id: 'b', image: bad }] }))).toEqual(
    expected.map(f => `steps[1].image.${f}`),
  )
})

test.each([
  'registry.example.com/team/report',
  'localhost/report',
  'registry:5000/report',
  'https://registry.example.com/report',
  'team/report@sha256:0000',
  'team/report:1.4.0',
  '../other/report',
  '',
])('an image named %j is refused', async name => {
  expect(await fieldsOf(put({ image: image({ name }) }))).toEqual(['image.name'])
})

test('command, arguments and environment together are held to the limit, stored secrets included', async () => {
  const limit = desk.services.limits.container_settings_bytes
  const half = (letter: string) => letter.repeat(limit / 8)
  const words = ['a', 'b', 'c', 'd'].map(half)
  const name = fresh('large')
  await put({ image: image({ command: words, env: { A: { secret: half('e') } } }) }, name)
  const more = image({ command: words, args: ['f', 'g', 'h'].map(half), env: { A: MASK } })
  expect(await issuesOf(put({ image: more }, name))).toEqual([
    {
      field: 'image',
      message: expect.stringMatching(new RegExp(`have ${limit + 1} bytes.* at most ${limit} `)),
    },
  ])
  expect(
    await fieldsOf(
      put({ steps: [step('a'), { id: 'b', image: image({ args: [...words, ...words, 'x'] }) }] }),
    ),
  ).toEqual(['steps[1].image'])
  await put({ image: image({ args: [...words, ...words] }) }, name)
})

test('a secret of the environment is stored encrypted and shown nowhere', async () => {
  const secret = 'tok-of-the-container'
  const { job } = await put({ image: image({ env: { TOKEN: { secret }, PLAIN: 'plain' } }) })
  expect(job.image?.env).toEqual({ TOKEN: MASK, PLAIN: 'plain' })
  const run = await triggerJob(desk.ctx, job.name)
  expect(run.request).toEqual({ kind: 'image', ...job.image })
  const everything = [
    job,
    await listJobs(desk.ctx),
    run,
    await auditRows(desk.sql, desk.ctx.organizationId),
    await desk.sql`select request from request_versions`,
  ]
  expect(JSON.stringify(everything)).not.toContain(secret)
})

test('a mask keeps the value of the same variable of the same step, only while the name of the image stays', async () => {
  const name = fresh('masked')
  const ref = async () => {
    const request = (await versions(name)).at(-1)?.request as { env?: object } | undefined
    return request?.env
  }
  await put({ image: image({ env: { TOKEN: { secret: 'one' } } }) }, name)
  const stored = await ref()
  const masked = (more: object) => put({ image: image({ env: { TOKEN: MASK }, ...more }) }, name)
  // The tag, the command and the rest may change: it is the same image.
  expect(await masked({ tag: '2', args: ['x'] })).toMatchObject({ changed: true })
  expect(await ref()).toEqual(stored)
  expect(await issuesOf(masked({ name: 'team/other' }))).toEqual([
    { field: 'image.env.TOKEN', message: expect.stringContaining('the name of the image') },
  ])
  // Names of variables differ by case, those of headers do not.
  expect(await issuesOf(put({ image: image({ env: { token: MASK } }) }, name))).toEqual([
    { field: 'image.env.token', message: expect.stringContaining('No secret is stored') },
  ])
  const call = put({ url: 'https://target.example/', headers: { TOKEN: MASK } }, name)
  expect(await fieldsOf(call)).toEqual(['headers.TOKEN'])
  const asStep = put({ steps: [step('a'), { id: 'b', image: image({ env: { TOKEN: MASK } }) }] }, name)
  expect(await fieldsOf(asStep)).toEqual(['steps[1].image.env.TOKEN'])
})

test('in a pipeline a mask goes by the id of the step, and an image takes over nothing of a request', async () => {
  const name = fresh('masked-steps')
  const secretive = (id: string, secret: string) => ({ id, image: image({ env: { TOKEN: { secret } } }) })
  await put({ steps: [secretive('a', 'of a'), secretive('b', 'of b')] }, name)
  const refs = async () => {
    const request = (await versions(name)).at(-1)?.request as unknown as { steps: { env: object }[] }
    return request.steps.map(s => s.env)
  }
  const [ofA, ofB] = await refs()
  await put({ steps: [secretive('b', '••••'), secretive('a', '••••')] }, name)
  expect(await refs()).toEqual([ofB, ofA])
  const call = { id: 'b', url: 'https://b.example/', headers: { TOKEN: MASK } }
  expect(await fieldsOf(put({ steps: [secretive('a', '••••'), call] }, name))).toEqual([
    'steps[1].headers.TOKEN',
  ])
})

test('a job becomes an image, a pipeline and a request again by PUT; each run keeps the version it was made with', async () => {
  const name = fresh('turned')
  const kinds: string[] = []
  const runs: string[] = []
  const forms: JobPut[] = [
    DAILY,
    imageJob(),
    { cron: '0 3 * * *', steps: [{ id: 'a', image: image() }, step('b')] },
    DAILY,
  ]
  for (const form of forms) {
    const { job } = await putJob(desk.ctx, name, { ...form, overlap: 'allow' })
    kinds.push(job.kind)
    runs.push((await triggerJob(desk.ctx, name)).id)
  }
  expect(kinds).toEqual(['http', 'image', 'pipeline', 'http'])
  expect((await versions(name)).map(v => [v.request.kind, v.host, v.is_present])).toEqual([
    ['http', 'target.example', false],
    ['image', '*image', false],
    ['pipeline', '*image', false],
    ['http', 'target.example', true],
  ])
  const rows = await Promise.all(runs.map(id => desk.run(id)))
  expect(new Set(rows.map(row => row.request_version_id)).size).toBe(4)
  const hosts = await desk.sql<{ host: string }[]>`
    select host from steps where run_id = ${runs[2] ?? ''} order by position`
  expect(hosts.map(row => row.host)).toEqual(['*image', 'b.example'])
})

test('PATCH with an image replaces it whole, and what the job did before; without one it stays', async () => {
  const name = fresh('patched')
  await put(
    { url: 'https://target.example/', headers: { 'X-A': 'a' }, timeout_seconds: 9, overlap: 'queue' },
    name,
  )
  const turned = await patchJob(desk.ctx, name, { image: image({ args: ['x'], timeout_seconds: 60 }) })
  expect(turned.job).toMatchObject({ kind: 'image', overlap: 'queue', image: { timeout_seconds: 60 } })
  expect(await fieldsOf(patchJob(desk.ctx, name, { timeout_seconds: 5 }))).toEqual(['timeout_seconds'])
  const described = await patchJob(desk.ctx, name, { description: 'a report' })
  expect(described.job.image).toEqual(turned.job.image)
  const { job } = await patchJob(desk.ctx, name, { image: image({ tag: '2' }) })
  expect(job.image).toMatchObject({ tag: '2', timeout_seconds: 3600 })
  expect(job.image).not.toHaveProperty('args')
  expect(await fieldsOf(patchJob(desk.ctx, name, { image: null }))).toEqual(['url'])
  const two = { image: image(), url: 'https://target.example/' }
  expect(await fieldsOf(patchJob(desk.ctx, name, two))).toEqual(['url'])
  const piped = await patchJob(desk.ctx, name, { steps: [step('a'), { id: 'b', image: image() }] })
  expect(piped.job.kind).toBe('pipeline')
  expect(piped.job).not.toHaveProperty('image')
  const alone = await patchJob(desk.ctx, name, { image: image() })
  expect(alone.job).not.toHaveProperty('steps')
  const back = await patchJob(desk.ctx, name, { url: 'https://target.example/' })
  expect(back.job).toMatchObject({ kind: 'http', headers: {}, timeout_seconds: 30 })
  expect(back.job).not.toHaveProperty('image')
})

test('a run of a mixed pipeline shows exactly what each step does', async () => {
  const { job } = await put({ steps: [step('call'), { id: 'run', image: image({ env: { A: 'b' } }) }] })
  const run = await triggerJob(desk.ctx, job.name)
  expect(run.request).toMatchObject({
    kind: 'pipeline',
    steps: [
      { id: 'call', kind: 'http', url: 'https://call.example/' },
      { id: 'run', kind: 'image', name: 'team/report', tag: '1.4.0', env: { A: 'b' }, timeout_seconds: 3600 },
    ],
  })
  expect(run.steps.map(s => s.id)).toEqual(['call', 'run'])
})

test('the stored secrets of an image are of no use to a test call', async () => {
  const { job } = await put({ image: image({ env: { TOKEN: { secret: 'one' } } }) })
  const request = { url: 'https://target.example/', headers: { TOKEN: MASK }, job: job.name }
  const call = testRequest(desk.ctx, request, () => Promise.reject(new Error('nothing may be called')))
  expect(await fieldsOf(call)).toEqual(['headers.TOKEN'])
})

test('what a container left is shown with its attempt', async () => {
  const { job } = await put({ image: image() })
  const run = await triggerJob(desk.ctx, job.name)
  const ids = { organization_id: desk.ctx.organizationId, run_id: run.id, state: 'succeeded', fence: 0 }
  const times = { started_at: desk.now(), finished_at: desk.now() }
  await desk.sql`insert into attempts ${desk.sql([
    { ...ids, ...times, id: `${run.id}-1`, number: 1, exit_code: 0, log: 'done\n', log_truncated: true },
    { ...ids, ...times, id: `${run.id}-2`, number: 2, exit_code: null, log: null, log_truncated: false },
  ])}`
  expect((await getRun(desk.ctx, run.id)).attempts.map(a => [a.container, a.response])).toEqual([
    [{ exit_code: 0, log: 'done\n', log_truncated: true }, null],
    [null, null],
  ])
})
