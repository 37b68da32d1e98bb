import { imageSchedulationRead } from '@workly/core'
import { expireWaits, triggerJob } from '@workly/services'
import { ContainerHands, exits, failsAs } from '@workly/services/testing/containers'
import { PretendWorker } from '@workly/services/testing/pretend-worker'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApi, type TestApi } from '../../../test/api-fixture.ts'
import { itIsGuarded } from '../../../test/guards.ts'
import { EXAMPLE_IMAGE_EXECUTION, EXAMPLE_PIPELINE } from './scheduler-examples.ts'

let api: TestApi
let hands: ContainerHands
beforeAll(async () => {
  api = await startTestApi()
  hands = new ContainerHands(api.services, await PretendWorker.start(api.services))
})
afterAll(() => api.close())

const ORGANIZATION = '/scheduler/organization/own'
const IMAGE = `${ORGANIZATION}/imageExecution`
const PIPELINE = `${ORGANIZATION}/pipeline`

const fields = (body: { errors: { field: string }[] }) => body.errors.map(e => e.field).sort()
const image = (id: string, more: object = {}, schedule: object = EXAMPLE_IMAGE_EXECUTION.schedule) => ({
  id,
  schedule,
  imageExecution: { name: 'team/report', tag: '1.4.0', maxTimeToWaitCallback: 360, ...more },
})

describe('POST …/imageExecution', () => {
  it('creates with 201, in the shape it was sent in', async () => {
    const made = await api.call('POST', IMAGE, { body: EXAMPLE_IMAGE_EXECUTION })
    expect(made.status, made.text).toBe(201)
    expect(made.body).toEqual(EXAMPLE_IMAGE_EXECUTION)
    const listed = await api.call('GET', IMAGE, { key: api.own.keys.read })
    expect(listed.body).toEqual([EXAMPLE_IMAGE_EXECUTION])
    expect(imageSchedulationRead.strict().array().parse(listed.body)).toEqual(listed.body)
  })

  it('makes an image job with one attempt, overlap skip and the extended dialect', async () => {
    const job = await api.call('GET', '/v1/jobs/nightly-training')
    expect(job.body).toMatchObject({
      kind: 'image',
      dialect: 'extended',
      max_attempts: 1,
      overlap: 'skip',
      image: {
        name: 'team/trainer',
        tag: '2.0.1',
        env: { MODEL: 'daily' },
        env_from: [{ secret: 'db' }, { config_map: 'conf', prefix: 'APP_' }],
        timeout_seconds: 300,
        max_wait_seconds: 360,
      },
    })
    const again = await api.call('PUT', '/v1/jobs/nightly-training', { body: job.text })
    expect(again.headers.get('workly-changed')).toBe('false')
  })

  it('without timeout it is killed after an hour; without env it has none', async () => {
    const made = await api.call('POST', IMAGE, { body: image('plain') })
    expect(made.body.imageExecution).toEqual({
      name: 'team/report',
      tag: '1.4.0',
      env: {},
      envFrom: [],
      timeout: 3600,
      maxTimeToWaitCallback: 360,
    })
  })

  it('keeps a secret variable secret', async () => {
    const made = await api.call('POST', IMAGE, {
      body: image('hidden', { env: { KEY: { secret: 's3cret' } } }),
    })
    expect(made.body.imageExecution.env).toEqual({ KEY: { secret: '••••' } })
    expect(made.text).not.toContain('s3cret')
  })

  it('shows what was made in /v1: its own command, and a wait that is its exit', async () => {
    const settings = { name: 'team/report', tag: '1', command: ['run'], args: ['all'] }
    await api.call('PUT', '/v1/jobs/from-v1', { body: { cron: '0 3 * * *', image: settings } })
    const { body } = await api.call('GET', IMAGE)
    expect(body.find((one: { id: string }) => one.id === 'from-v1')).toEqual({
      id: 'from-v1',
      schedule: { cron: { expression: '0 3 * * *', timeZone: 'UTC' }, executeNow: false },
      imageExecution: { ...settings, env: {}, envFrom: [], timeout: 3600, maxTimeToWaitCallback: null },
    })
  })

  it('names every offending field at once, what the shape and what the rules refuse', async () => {
    const body = image(
      'bad',
      {
        name: 'registry.example.com:5000/x',
        tag: 'no tag',
        env: { 'A=B': 'x', callbackUri: 'x', N: 7 },
        envFrom: [
          { secret: 'db', prefix: '1-' },
          { secret: 'a', configMap: 'b' },
          {},
          { config_map: 'conf' },
          { configMap: 'Not A Name' },
        ],
        timeout: 0,
        maxTimeToWaitCallback: undefined,
        timeOut: 5,
      },
      { cron: { expression: '61 * * * *' } },
    )
    const refused = await api.call('POST', IMAGE, { body })
    expect(refused.status).toBe(400)
    const at = (field: string) => `imageExecution.${field}`
    expect(fields(refused.body)).toEqual([
      ...[
        'env.A=B',
        'env.N',
        'env.callbackUri',
        'envFrom[0].prefix',
        'envFrom[1]',
        'envFrom[2]',
        'envFrom[3]',
        'envFrom[3].config_map',
        'envFrom[4].configMap',
        'maxTimeToWaitCallback',
        'name',
        'tag',
        'timeOut',
        'timeout',
      ].map(at),
      'schedule.cron.expression',
    ])
    expect(refused.text).toContain('Did you mean configMap?')
    expect(refused.text).toContain('Give secret or configMap, not both.')
    expect(refused.text).not.toMatch(/env_from|max_wait|timeout_seconds/)
  })

  it('the rules alone are told in the words of the body too', async () => {
    const refused = await api.call('POST', IMAGE, {
      body: image('bad', { envFrom: [{ secret: 'a', configMap: 'b' }], name: 'a b' }),
    })
    expect(fields(refused.body)).toEqual(['imageExecution.envFrom[0]', 'imageExecution.name'])
    expect(refused.text).toContain('Give secret or configMap, not both.')
  })

  it('has no response, and is required', async () => {
    const body = { ...image('bad'), response: { sync: { timeout: 5 } }, imageExecution: undefined }
    const refused = await api.call('POST', IMAGE, { body })
    expect(fields(refused.body)).toEqual(['imageExecution', 'response'])
  })

  it('of an id that exists is 409, naming its kind; a path of another kind is 404', async () => {
    const again = await api.call('POST', IMAGE, { body: EXAMPLE_IMAGE_EXECUTION })
    expect(again.status).toBe(409)
    expect(again.body.detail).toContain('it is an image execution (imageExecution)')
    expect((await api.call('DELETE', `${ORGANIZATION}/restRequest/plain`)).status).toBe(404)
    expect((await api.call('DELETE', `${PIPELINE}/plain`)).status).toBe(404)
    expect((await api.call('DELETE', `${IMAGE}/plain`)).status).toBe(204)
    expect((await api.call('DELETE', `${IMAGE}/plain`)).status).toBe(404)
  })

  itIsGuarded({
    api: () => api,
    method: 'POST',
    path: () => IMAGE,
    body: image('guarded'),
    scope: 'write',
    ofOneThing: true,
  })
  itIsGuarded({ api: () => api, method: 'GET', path: () => IMAGE, scope: 'read', ofOneThing: true })
  itIsGuarded({
    api: () => api,
    method: 'DELETE',
    path: () => `${IMAGE}/from-v1`,
    scope: 'write',
    ofOneThing: true,
  })
})

describe('a step that is an image execution', () => {
  const of = (step: object) => ({
    ...EXAMPLE_PIPELINE,
    id: 'bad',
    pipeline: { steps: [EXAMPLE_PIPELINE.pipeline?.steps[0], step] },
  })

  it('is either a request or an image, and only a request has a response', async () => {
    const { imageExecution } = image('x')
    const restRequest = { url: 'https://a.example/' }
    const both = await api.call('POST', PIPELINE, { body: of({ id: 'x', restRequest, imageExecution }) })
    expect(fields(both.body)).toEqual(['pipeline.steps[1].imageExecution', 'pipeline.steps[1].restRequest'])
    const response = { sync: { timeout: 5 } }
    const waits = await api.call('POST', PIPELINE, { body: of({ id: 'x', imageExecution, response }) })
    expect(fields(waits.body)).toEqual(['pipeline.steps[1].response'])
    const none = await api.call('POST', PIPELINE, { body: of({ id: 'x' }) })
    expect(fields(none.body)).toEqual(['pipeline.steps[1].restRequest'])
  })

  it('has its offending fields named at its place', async () => {
    const imageExecution = { name: 'a b', tag: '1', envFrom: [{}], timeout: 'long' }
    const refused = await api.call('POST', PIPELINE, { body: of({ id: 'x', imageExecution }) })
    expect(fields(refused.body)).toEqual(
      ['envFrom[0]', 'maxTimeToWaitCallback', 'name', 'timeout'].map(
        field => `pipeline.steps[1].imageExecution.${field}`,
      ),
    )
  })
})

describe('an execution of an image', () => {
  const entry = async (run: string) => {
    const { body } = await api.call('GET', `${ORGANIZATION}/history?schedulerType=IMAGE_EXECUTION`)
    return body.find((one: { executionId: string }) => one.executionId === run)
  }
  const start = async () => {
    const run = await triggerJob(api.own.ctx, 'nightly-training')
    return { run: run.id, container: await hands.one() }
  }
  const report = (run: string, body: object) =>
    api.call('POST', `${IMAGE}/nightly-training/execution/${run}`, { body, key: api.own.keys.run })

  it('is IN_PROGRESS until its container reports, also after its exit with 0', async () => {
    const { run, container } = await start()
    await hands.end(container)
    expect(await entry(run)).toMatchObject({
      schedulerType: 'IMAGE_EXECUTION',
      schedulerId: 'nightly-training',
      state: 'IN_PROGRESS',
      steps: [{ id: 'nightly-training', state: 'IN_PROGRESS', result: null }],
    })
    expect((await report(run, { result: 'OK', description: 'loss 0.02' })).status).toBe(204)
    expect(await entry(run)).toMatchObject({
      state: 'FINISHED',
      steps: [{ state: 'FINISHED', result: 'OK', description: 'loss 0.02' }],
    })
    await hands.gone(container)
  })

  it('that exits with an error before reporting, or cannot be pulled, fails with that reason', async () => {
    for (const end of [exits(3), failsAs('image_pull')]) {
      const { run, container } = await start()
      await hands.end(container, end)
      await hands.gone(container)
      expect(await entry(run)).toMatchObject({
        state: 'FINISHED',
        steps: [{ result: 'ERROR', description: end.message }],
      })
    }
  })

  it('whose wait runs out is TIMEOUT, and then FINISHED OUT OF TIME by a late callback', async () => {
    const { run, container } = await start()
    await api.services.sql`update attempts set callback_deadline = now() where state = 'waiting'`
    await expireWaits(api.services, 10)
    expect(await entry(run)).toMatchObject({ state: 'FINISHED', steps: [{ result: 'TIMEOUT' }] })
    await report(run, { result: 'DONE' })
    expect(await entry(run)).toMatchObject({
      state: 'FINISHED OUT OF TIME',
      steps: [{ result: 'DONE' }],
    })
    await hands.end(container)
    await hands.gone(container)
  })
})
