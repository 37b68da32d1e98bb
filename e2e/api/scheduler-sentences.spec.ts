import type { Execution, Job } from '@workly/core'
import type { Client } from '../harness/client.ts'
import { expect, test } from '../harness/test.ts'
import { until } from '../harness/until.ts'

// What the organization scheduler's description says, sentence by sentence, where no other spec shows it.

const BASE = '/scheduler/organization/demo'
const NEVER = { cron: { expression: '0 0 0 1 1 ? 2090' } }

const create = (api: Client, kind: string, body: object) =>
  api.call<{ errors?: { field: string }[] }>('POST', `${BASE}/${kind}`, body)

/** Makes a REST request with that schedule. @returns the job as /v1 has it, which is deleted again */
async function jobOf(api: Client, id: string, schedule: object): Promise<Job> {
  const made = await create(api, 'restRequest', {
    id,
    schedule,
    restRequest: { url: 'http://127.0.0.1:9/' },
  })
  expect(made.status, JSON.stringify(made.body)).toBe(201)
  const job = await api.job(id)
  expect((await api.call('DELETE', `${BASE}/restRequest/${id}`)).status).toBe(204)
  return job
}

const instants = (job: Job, count: number) =>
  job.next_runs.slice(0, count).map(instant => new Date(instant).toISOString().replace('.000', ''))

test('an expression has five fields, with one for seconds in front and one for years behind, and ? in the day fields', async ({
  api,
}) => {
  const from = '2030-01-01T00:00:00Z'
  const at = async (id: string, expression: string, count = 2) =>
    instants(await jobOf(api, id, { cron: { expression }, from }), count)
  expect(await at('five', '30 2 * * *')).toEqual(['2030-01-01T02:30:00Z', '2030-01-02T02:30:00Z'])
  expect(await at('six', '15 30 2 * * *')).toEqual(['2030-01-01T02:30:15Z', '2030-01-02T02:30:15Z'])
  expect(await at('seven', '0 0 2 * * * *')).toEqual(['2030-01-01T02:00:00Z', '2030-01-02T02:00:00Z'])
  expect(await at('year', '0 0 2 1 1 ? 2030-2031')).toEqual(['2030-01-01T02:00:00Z', '2031-01-01T02:00:00Z'])
  expect(await at('weekday', '0 0 2 ? * MON')).toEqual(['2030-01-07T02:00:00Z', '2030-01-14T02:00:00Z'])
  expect(await at('day', '0 2 5 * ?')).toEqual(['2030-01-05T02:00:00Z', '2030-02-05T02:00:00Z'])
})

test('the expression is evaluated in its time zone, default UTC; from and to bound the executions', async ({
  api,
}) => {
  const cron = { expression: '0 0 2 * * * *', timeZone: 'America/New_York' }
  const from = '2030-01-10T07:00:00Z'
  const job = await jobOf(api, 'zoned', { cron, from, to: '2030-01-11T07:00:00Z' })
  // Both ends are within; after the second there is none.
  expect(job.timezone).toBe('America/New_York')
  expect(instants(job, 5)).toEqual(['2030-01-10T07:00:00Z', '2030-01-11T07:00:00Z'])
  expect((await jobOf(api, 'unzoned', { cron: { expression: '0 2 * * *' } })).timezone).toBe('UTC')
})

test('an interval counts from from, which is its first execution, or from the creation', async ({ api }) => {
  const job = await jobOf(api, 'every', { interval: { minutes: 90 }, from: '2030-01-01T00:10:00Z' })
  expect(instants(job, 3)).toEqual(['2030-01-01T00:10:00Z', '2030-01-01T01:40:00Z', '2030-01-01T03:10:00Z'])
  const free = await jobOf(api, 'since', { interval: { minutes: 7 } })
  const created = Math.floor(Date.parse(free.created_at) / 1000) * 1000
  expect(free.next_runs.slice(0, 2).map(Date.parse)).toEqual([created + 420_000, created + 840_000])
})

test('executeNow also runs it at once, before from too; without it nothing runs', async ({ api, target }) => {
  const body = { restRequest: { url: target.url('/now') } }
  const schedule = { ...NEVER, from: '2089-01-01T00:00:00Z' }
  expect((await create(api, 'restRequest', { id: 'waits', schedule, ...body })).status).toBe(201)
  const now = { ...schedule, executeNow: true }
  expect((await create(api, 'restRequest', { id: 'now', schedule: now, ...body })).status).toBe(201)
  await target.received(1, '/now')
  expect(await api.runs('waits')).toEqual([])
  expect(await api.runs('now')).toMatchObject([{ trigger: 'execute_now' }])
  expect(target.to('/now')).toHaveLength(1)
})

test('what is wrong is refused on creation with 400 and the offending field named, and nothing is made', async ({
  api,
}) => {
  const restRequest = { url: 'http://127.0.0.1:9/' }
  const step = (id: string) => ({ id, restRequest })
  const refused = async (kind: string, more: object, ...fields: string[]) => {
    const { status, body } = await create(api, kind, { id: 'refused', schedule: NEVER, ...more })
    expect(status, JSON.stringify(body)).toBe(400)
    expect(body.errors?.map(({ field }) => field)).toEqual(fields)
  }
  const cron = (expression: string, timeZone = 'UTC') => ({
    restRequest,
    schedule: { cron: { expression, timeZone } },
  })
  await refused('restRequest', cron('0 2 * * *', 'Europe/Madird'), 'schedule.cron.timeZone')
  await refused('restRequest', cron('0 0 2 30 2 *'), 'schedule.cron.expression')
  await refused('restRequest', cron('61 * * * *'), 'schedule.cron.expression')
  await refused(
    'restRequest',
    { restRequest, schedule: { interval: { minutes: 0 } } },
    'schedule.interval.minutes',
  )
  await refused('pipeline', { pipeline: { steps: [step('one')] } }, 'pipeline.steps')
  await refused('pipeline', { pipeline: { steps: [step('one'), step('one')] } }, 'pipeline.steps[1].id')
  expect((await api.call('GET', '/v1/jobs/refused')).status).toBe(404)
})

test('what is made here is the same job in /v1 and the other way round, listed and deleted by its kind', async ({
  api,
  target,
}) => {
  const restRequest = { url: target.url('/same') }
  const imageExecution = { name: 'team/report', tag: '1', maxTimeToWaitCallback: 60 }
  const steps = [
    { id: 'a', restRequest },
    { id: 'b', imageExecution },
  ]
  for (const [kind, body] of [
    ['restRequest', { restRequest }],
    ['imageExecution', { imageExecution }],
    ['pipeline', { pipeline: { steps } }],
  ] as const) {
    expect((await create(api, kind, { id: `same-${kind}`, schedule: NEVER, ...body })).status).toBe(201)
    await api.putJob(`v1-${kind}`, {
      cron: '0 0 1 1 *',
      ...(kind === 'restRequest' && { url: target.url('/same') }),
      ...(kind === 'imageExecution' && { image: { name: 'team/report', tag: '1' } }),
      ...(kind === 'pipeline' && {
        steps: [
          { id: 'a', url: target.url('/a') },
          { id: 'b', url: target.url('/b') },
        ],
      }),
    })
    const { body: listed } = await api.call<{ id: string }[]>('GET', `${BASE}/${kind}`)
    const ids = listed.map(({ id }) => id)
    expect(ids).toEqual(expect.arrayContaining([`same-${kind}`, `v1-${kind}`]))
    expect(ids.filter(id => id.startsWith('same-'))).toEqual([`same-${kind}`])
    expect(await api.job(`same-${kind}`)).toMatchObject({
      dialect: 'extended',
      max_attempts: 1,
      overlap: 'skip',
    })
    const other = kind === 'pipeline' ? 'restRequest' : 'pipeline'
    expect((await api.call('DELETE', `${BASE}/${other}/same-${kind}`)).status).toBe(404)
    for (const id of [`same-${kind}`, `v1-${kind}`]) {
      expect((await api.call('DELETE', `${BASE}/${kind}/${id}`)).status).toBe(204)
      expect((await api.call('GET', `/v1/jobs/${id}`)).status).toBe(404)
    }
  }
  expect((await api.call('GET', '/scheduler/organization/another/pipeline')).status).toBe(404)
})

test('the history is filtered by type, by id and by limit, newest first', async ({ api, target }) => {
  const schedule = { ...NEVER, executeNow: true }
  const restRequest = { url: target.url('/told') }
  const steps = ['a', 'b'].map(id => ({ id, restRequest }))
  await create(api, 'restRequest', { id: 'told-1', schedule, restRequest })
  await create(api, 'pipeline', { id: 'told-2', schedule, pipeline: { steps } })
  await api.trigger('told-1')
  const history = async (query: string) =>
    (await api.call<Execution[]>('GET', `${BASE}/history?${query}`)).body
  const of1 = await until(
    'both executions are told',
    () => history('schedulerId=told-1'),
    all => all.length === 2 && all.every(({ state }) => state === 'FINISHED'),
  )
  expect(of1.map(({ executionId }) => executionId)).toEqual(
    of1
      .map(({ executionId }) => executionId)
      .toSorted()
      .toReversed(),
  )
  expect(await history('schedulerId=told-1&limit=1')).toEqual(of1.slice(0, 1))
  const pipelines = await history('schedulerType=PIPELINE')
  expect(new Set(pipelines.map(({ schedulerType }) => schedulerType))).toEqual(new Set(['PIPELINE']))
  expect(pipelines.map(({ schedulerId }) => schedulerId)).toContain('told-2')
  expect(await history('schedulerType=IMAGE_EXECUTION&schedulerId=told-1')).toEqual([])
  const [newest] = await history('limit=1')
  expect(newest?.executionId).toBe(of1[0]?.executionId)
})

test('of twenty reports at once by the execution one decides; a key is needed, and a stranger’s address is none', async ({
  api,
  stack,
  target,
}) => {
  const response = { async: { maxTimeToWaitCallback: 600 } }
  const restRequest = { url: target.url('/many') }
  await create(api, 'restRequest', {
    id: 'many',
    schedule: { ...NEVER, executeNow: true },
    restRequest,
    response,
  })
  await target.received(1, '/many')
  const [run] = await api.runs('many')
  const path = `${BASE}/restRequest/many/execution/${run?.id}`
  expect(
    (
      await fetch(`${stack.url}${path}`, {
        method: 'POST',
        body: '{"result":"OK"}',
        headers: { authorization: 'Bearer none' },
      })
    ).status,
  ).toBe(401)
  expect((await api.call('POST', path.replace('demo', 'another'), { result: 'OK' })).status).toBe(404)
  expect((await api.call('POST', path, { result: '' })).status).toBe(400)
  expect((await api.call('POST', path, { result: 'OK', description: 'x'.repeat(2_200_000) })).status).toBe(
    413,
  )
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, n) => api.call('POST', path, { result: `OK ${n}` })),
  )
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 204))
  const ended = await api.ended(run?.id ?? '')
  expect(ended).toMatchObject({ state: 'succeeded', late_result: null })
  expect(ended.attempts).toMatchObject([{ callback: { result: expect.stringMatching(/^OK \d+$/) } }])
})
