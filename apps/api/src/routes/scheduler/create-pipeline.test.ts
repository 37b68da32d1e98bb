import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApi, type TestApi } from '../../../test/api-fixture.ts'
import { itIsGuarded } from '../../../test/guards.ts'
import { EXAMPLE_PIPELINE, EXAMPLE_REST_REQUEST } from './scheduler-examples.ts'

let api: TestApi
beforeAll(async () => {
  api = await startTestApi()
})
afterAll(() => api.close())

const PIPELINE = '/scheduler/organization/own/pipeline'

const fields = (body: { errors: { field: string }[] }) => body.errors.map(e => e.field).sort()
const step = (id: unknown, more: object = {}) => ({
  id,
  restRequest: { url: `https://api.example.com/${id}` },
  ...more,
})

describe('POST …/pipeline', () => {
  it('creates with 201, in the shape it was sent in', async () => {
    const made = await api.call('POST', PIPELINE, { body: EXAMPLE_PIPELINE })
    expect(made.status, made.text).toBe(201)
    expect(made.body).toMatchObject(EXAMPLE_PIPELINE)
    const job = await api.call('GET', '/v1/jobs/time-series-trainer')
    expect(job.body).toMatchObject({
      kind: 'pipeline',
      max_attempts: 1,
      overlap: 'skip',
      dialect: 'extended',
      steps: [
        { id: 'export', response: { callback: { max_wait_seconds: 600 } }, timeout_seconds: 30 },
        {
          id: 'train',
          image: {
            name: 'team/trainer',
            tag: '2.0.1',
            env: { MODEL: 'daily' },
            env_from: [{ secret: 'db' }, { config_map: 'conf', prefix: 'APP_' }],
            timeout_seconds: 300,
            max_wait_seconds: 360,
          },
        },
      ],
    })
  })

  it('takes the steps beside the schedule too', async () => {
    const body = { ...EXAMPLE_PIPELINE, id: 'flat', pipeline: undefined, steps: [step('a'), step('b')] }
    const made = await api.call('POST', PIPELINE, { body })
    expect(made.status, made.text).toBe(201)
    expect(made.body.pipeline.steps.map((s: { id: string }) => s.id)).toEqual(['a', 'b'])
    const both = await api.call('POST', PIPELINE, { body: { ...body, pipeline: { steps: body.steps } } })
    expect(fields(both.body)).toEqual(['pipeline', 'steps'])
    const neither = await api.call('POST', PIPELINE, { body: { ...body, steps: undefined } })
    expect(fields(neither.body)).toEqual(['pipeline'])
  })

  it('keeps every digit of a step’s body, and what is wrong elsewhere is told all the same', async () => {
    const text = JSON.stringify({ ...EXAMPLE_PIPELINE, id: 'digits-2' })
    const digits = text.replaceAll('{"kind":"daily"}', '{"kind":9007199254740993}')
    expect((await api.call('POST', PIPELINE, { body: digits })).text).toContain('{"kind":9007199254740993}')
    const wrong = await api.call('POST', PIPELINE, { body: digits.replace('"MODEL":"daily"', '"MODEL":7') })
    expect(wrong.status, wrong.text).toBe(400)
    expect(fields(wrong.body)).toEqual(['pipeline.steps[1].imageExecution.env.MODEL'])
  })

  it('has at least two steps, each with an id of its own', async () => {
    const of = (steps: unknown) => ({ ...EXAMPLE_PIPELINE, id: 'bad', pipeline: { steps } })
    for (const steps of [[], [step('a')]]) {
      const refused = await api.call('POST', PIPELINE, { body: of(steps) })
      expect(refused.body.errors).toEqual([{ field: 'pipeline.steps', message: '2 to 50 steps' }])
    }
    const twice = await api.call('POST', PIPELINE, { body: of([step('a'), step('a')]) })
    expect(fields(twice.body)).toEqual(['pipeline.steps[1].id'])
  })

  it.each(['pipeline.steps', 'steps'])(
    'names each offending field of each step at its place in %s',
    async place => {
      const steps = [
        { ...step('a'), id: 'a b', respons: {} },
        { id: 'c', restRequest: { url: 'ftp://x', headers: { Host: 'x' } } },
        7,
        { id: 'd' },
        step('c', { response: { sync: { timeout: 0 } } }),
      ]
      const body = {
        id: 'bad',
        schedule: { cron: { expression: 'x' } },
        ...(place === 'steps' ? { steps } : { pipeline: { steps } }),
      }
      const refused = await api.call('POST', PIPELINE, { body })
      expect(fields(refused.body)).toEqual(
        [
          `${place}[0].id`,
          `${place}[0].respons`,
          `${place}[1].restRequest.headers.Host`,
          `${place}[1].restRequest.url`,
          `${place}[2]`,
          `${place}[3].restRequest`,
          `${place}[4].id`,
          `${place}[4].response.sync.timeout`,
          'schedule.cron.expression',
        ].sort(),
      )
      expect(refused.text).toContain('Did you mean response?')
    },
  )

  it('is no REST request', async () => {
    const refused = await api.call('POST', PIPELINE, {
      body: { ...EXAMPLE_REST_REQUEST, response: undefined },
    })
    expect(fields(refused.body)).toEqual(['pipeline', 'restRequest'])
  })

  itIsGuarded({
    api: () => api,
    method: 'POST',
    path: () => PIPELINE,
    body: { ...EXAMPLE_PIPELINE, id: 'guarded' },
    scope: 'write',
    ofOneThing: true,
  })
})
