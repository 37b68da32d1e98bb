import { readFileSync } from 'node:fs'
import type { Execution, Run } from '@workly/core'
import type { Client } from '../harness/client.ts'
import { typeCurl } from '../harness/curl.ts'
import type { Target } from '../harness/target.ts'
import { expect, test } from '../harness/test.ts'
import { until } from '../harness/until.ts'

const BASE = '/scheduler/organization/demo'
const README = readFileSync(new URL('../../README.md', import.meta.url), 'utf8')

/** Every night, so that nothing comes by itself while a test runs. */
const NIGHTLY = { cron: { expression: '0 0 2 * * * *' } }

async function create(api: Client, kind: string, body: object): Promise<void> {
  const made = await api.call('POST', `${BASE}/${kind}`, { schedule: NIGHTLY, ...body })
  expect(made.status, JSON.stringify(made.body)).toBe(201)
}

/** The executions of a schedulation when they are as wanted, newest first. */
function history(api: Client, id: string, fits: (seen: Execution[]) => boolean): Promise<Execution[]> {
  const look = async () => (await api.call<Execution[]>('GET', `${BASE}/history?schedulerId=${id}`)).body
  return until(`the history of ${id} is as wanted`, look, fits)
}

const ended = (api: Client, id: string) =>
  history(api, id, ([latest]) => latest !== undefined && latest.state !== 'IN_PROGRESS').then(
    ([latest]) => latest,
  )

/** What a target does with the address in the callback header. */
async function reportTo(target: Target, path: string, body: object): Promise<number> {
  const [call] = await target.received(1, path)
  const { status } = await fetch(String(call?.headers.callback), {
    method: 'POST',
    body: JSON.stringify(body),
  })
  return status
}

test('the commands of README work as they are printed', async ({ stack }) => {
  const section = /## The organization scheduler\n(.*?)\n## /s.exec(README)?.[1] ?? ''
  const commands = section.match(/^ {4}curl [^\n]*(?:\n {4}[^\n]*)*/gm) ?? []
  expect(commands).toHaveLength(4)
  const answers = []
  for (const command of commands) answers.push(await typeCurl(command, stack.port))
  expect(answers.map(answer => answer.status)).toEqual([201, 200, 200, 204])
  const [made, listed, told] = answers.map(answer => (answer.body ? JSON.parse(answer.body) : null))
  expect(listed).toContainEqual(made)
  const own = { schedulerType: 'REST_REQUEST', schedulerId: 'nightly-export' }
  expect(told).toContainEqual(expect.objectContaining(own))
})

test('a synchronous REST request is complete when the response arrives; a 4xx or 5xx is an error, with its message', async ({
  api,
  target,
}) => {
  target.reply = call => (call.path === '/bad' ? { status: 422, body: '{"message": "no such series"}' } : {})
  for (const [id, path] of [
    ['sync-good', '/good'],
    ['sync-bad', '/bad'],
  ] as const) {
    const restRequest = { url: target.url(path), headers: { 'x-kind': 'daily' }, body: { kind: 'daily' } }
    const schedule = { ...NIGHTLY, executeNow: true }
    await create(api, 'restRequest', { id, schedule, restRequest, response: { sync: { timeout: 5 } } })
  }
  const [call] = await target.received(1, '/good')
  expect(call).toMatchObject({ method: 'POST', body: '{"kind":"daily"}', headers: { 'x-kind': 'daily' } })
  expect(call?.headers.callback).toBeUndefined()
  expect(await ended(api, 'sync-good')).toMatchObject({
    state: 'FINISHED',
    steps: [{ id: 'sync-good', result: 'OK' }],
  })
  expect(await ended(api, 'sync-bad')).toMatchObject({
    state: 'FINISHED',
    steps: [{ id: 'sync-bad', result: 'ERROR', description: 'no such series' }],
  })
  // One attempt, as every schedulation has.
  expect(target.to('/bad')).toHaveLength(1)
})

test('a response that does not come in time is TIMEOUT', async ({ api, target }) => {
  let release = () => {}
  const after = new Promise<void>(resolve => {
    release = resolve
  })
  target.reply = () => ({ after })
  const schedule = { ...NIGHTLY, executeNow: true }
  const restRequest = { url: target.url('/slow') }
  await create(api, 'restRequest', { id: 'slow', schedule, restRequest, response: { sync: { timeout: 1 } } })
  expect(await ended(api, 'slow')).toMatchObject({ steps: [{ result: 'TIMEOUT' }] })
  release()
})

test('an asynchronous REST request gets a callback header, and is done when that is posted to', async ({
  api,
  target,
}) => {
  const schedule = { ...NIGHTLY, executeNow: true }
  const restRequest = { url: target.url('/export') }
  const response = { async: { maxTimeToWaitCallback: 600 } }
  await create(api, 'restRequest', { id: 'export', schedule, restRequest, response })
  await target.received(1, '/export')
  const [going] = await history(api, 'export', ([latest]) => latest !== undefined)
  expect(going?.state).toBe('IN_PROGRESS')
  expect(await reportTo(target, '/export', { result: 'HALF', description: '602 rows' })).toBe(204)
  expect(await ended(api, 'export')).toMatchObject({
    state: 'FINISHED',
    steps: [{ id: 'export', result: 'HALF', description: '602 rows' }],
  })
})

test('a callback after the wait is not lost: FINISHED OUT OF TIME with the late result', async ({
  api,
  target,
}) => {
  const schedule = { ...NIGHTLY, executeNow: true }
  const restRequest = { url: target.url('/late') }
  const response = { async: { maxTimeToWaitCallback: 1 } }
  await create(api, 'restRequest', { id: 'late', schedule, restRequest, response })
  const expired = await ended(api, 'late')
  expect(expired).toMatchObject({ state: 'FINISHED', steps: [{ result: 'TIMEOUT' }] })
  const path = `${BASE}/restRequest/late/execution/${expired?.executionId}`
  expect((await api.call('POST', path, { result: 'OK', description: 'at last' })).status).toBe(204)
  expect(await ended(api, 'late')).toMatchObject({
    state: 'FINISHED OUT OF TIME',
    steps: [{ result: 'OK', description: 'at last' }],
  })
})

test('an execution that is still running when the next is due: that one is skipped and logged, not queued', async ({
  api,
  target,
}) => {
  const schedule = { cron: { expression: '* * * * * *' } }
  const restRequest = { url: target.url('/busy') }
  const response = { async: { maxTimeToWaitCallback: 600 } }
  await create(api, 'restRequest', { id: 'busy', schedule, restRequest, response })
  const seen = await history(api, 'busy', all => all.length >= 3)
  const [first, ...skipped] = [...seen].reverse()
  expect(first).toMatchObject({ state: 'IN_PROGRESS' })
  for (const one of skipped) {
    expect(one).toMatchObject({ state: 'FINISHED', steps: [{ id: 'busy', result: 'SKIPPED' }] })
    expect(one.steps[0]?.description).toContain('still running')
  }
  expect(target.to('/busy')).toHaveLength(1)
  expect((await api.call('DELETE', `${BASE}/restRequest/busy`)).status).toBe(204)
  expect(await history(api, 'busy', all => all.length === 0)).toEqual([])
})

test('the steps of a pipeline run in order; each hands over on its response or its callback', async ({
  api,
  target,
}) => {
  const step = (id: string, response?: object) => ({
    id,
    restRequest: { url: target.url(`/${id}`) },
    response,
  })
  const steps = [step('load'), step('train', { async: { maxTimeToWaitCallback: 600 } }), step('tell')]
  await create(api, 'pipeline', {
    id: 'trainer',
    schedule: { ...NIGHTLY, executeNow: true },
    pipeline: { steps },
  })
  await target.received(1, '/train')
  expect(target.to('/tell')).toHaveLength(0)
  const [going] = await history(api, 'trainer', ([latest]) => latest?.steps[0]?.state === 'FINISHED')
  const path = `${BASE}/pipeline/trainer/execution/${going?.executionId}/train`
  expect((await api.call('POST', path, { result: 'TRAINED' })).status).toBe(204)
  expect(await ended(api, 'trainer')).toMatchObject({
    schedulerType: 'PIPELINE',
    state: 'FINISHED',
    steps: [
      { id: 'load', result: 'OK' },
      { id: 'train', result: 'TRAINED' },
      { id: 'tell', result: 'OK' },
    ],
  })
  expect(target.calls.map(call => call.path)).toEqual(['/load', '/train', '/tell'])
})

test('a step that fails stops the pipeline; a running step can be cancelled, and the schedulation stays', async ({
  api,
  target,
}) => {
  target.reply = call => (call.path === '/broken' ? { status: 500, body: '{"error": "no data"}' } : {})
  const step = (id: string, response?: object) => ({
    id,
    restRequest: { url: target.url(`/${id}`) },
    response,
  })
  const schedule = { ...NIGHTLY, executeNow: true }
  await create(api, 'pipeline', {
    id: 'stops',
    schedule,
    pipeline: { steps: [step('broken'), step('after')] },
  })
  expect(await ended(api, 'stops')).toMatchObject({
    steps: [
      { id: 'broken', result: 'ERROR', description: 'no data' },
      { id: 'after', result: 'NOT_RUN' },
    ],
  })
  const waits = step('waits', { async: { maxTimeToWaitCallback: 600 } })
  await create(api, 'pipeline', { id: 'cancelled', schedule, pipeline: { steps: [waits, step('after')] } })
  await target.received(1, '/waits')
  const [going] = await history(api, 'cancelled', ([latest]) => latest !== undefined)
  const path = `${BASE}/pipeline/cancelled/execution/${going?.executionId}`
  expect((await api.call('DELETE', `${path}/after`)).status).toBe(409)
  expect((await api.call('DELETE', `${path}/waits`)).status).toBe(204)
  expect(await ended(api, 'cancelled')).toMatchObject({
    state: 'FINISHED',
    steps: [{ result: 'CANCELLED' }, { result: 'NOT_RUN' }],
  })
  expect(await api.job('cancelled')).toMatchObject({ state: 'active' })
  expect(target.to('/after')).toHaveLength(0)
})

test('an image execution on a server that runs no images fails at once, saying so, and its run is the same in /v1', async ({
  api,
}) => {
  await create(api, 'imageExecution', {
    id: 'image',
    schedule: { ...NIGHTLY, executeNow: true },
    imageExecution: { name: 'team/report', tag: '1.4.0', maxTimeToWaitCallback: 60 },
  })
  const failed = await ended(api, 'image')
  expect(failed).toMatchObject({
    schedulerType: 'IMAGE_EXECUTION',
    state: 'FINISHED',
    steps: [{ id: 'image', result: 'ERROR' }],
  })
  const run: Run = await api.run(String(failed?.executionId))
  expect(run).toMatchObject({ job: 'image', state: 'failed', error: { class: 'executor' } })
  expect(failed?.steps[0]?.description).toBe(run.error?.message)
})
