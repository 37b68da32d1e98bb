import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApi, type TestApi } from '../test/api-fixture.ts'

let api: TestApi
beforeAll(async () => {
  api = await startTestApi()
})
afterAll(() => api.close())

const guide = await readFile(new URL('../../../docs/pipelines.md', import.meta.url), 'utf8')
const calls = [...guide.matchAll(/curl -X (\w+) localhost:7337(\S+) -d '([^']+)'/g)].map(
  ([, method = '', path = '', body = '']) => ({ method, path, body }),
)
const puts = calls.filter(call => call.method === 'PUT')

describe('the guide of images and pipelines', () => {
  it.each(puts)('prints $method $path as it works', async ({ method, path, body }) => {
    const made = await api.call(method, path, { body })
    expect(made.status, made.text).toBe(201)
    const again = await api.call('PUT', path, { body: (await api.call('GET', path)).text })
    expect(again.headers.get('workly-changed')).toBe('false')
  })

  it('shows an image, a pipeline of both kinds of steps, and how to go on from the failed one', async () => {
    const made = await Promise.all(puts.map(({ path }) => api.call('GET', path)))
    expect(made.map(job => job.body.kind)).toEqual(['image', 'pipeline'])
    expect(made[1]?.body.steps.map((step: { image?: object }) => step.image !== undefined)).toEqual([
      false,
      true,
      false,
    ])
    const [retry] = calls.filter(call => call.method === 'POST')
    const run = await api.call('POST', '/v1/jobs/train-nightly/trigger')
    await api.call('POST', `/v1/runs/${run.body.id}/cancel`)
    const path = retry?.path.replace('$RUN', run.body.id) ?? ''
    const again = await api.call('POST', path, { body: retry?.body })
    expect([again.status, again.body.state]).toEqual([200, 'pending'])
  })

  it('names the defaults, the ranges and the limit that hold', async () => {
    const { image } = (
      await api.call('PUT', '/v1/jobs/plain', {
        body: { cron: '0 4 * * *', image: { name: 'a', tag: '1' } },
      })
    ).body
    expect(guide).toContain(`default ${image.timeout_seconds.toLocaleString('en')} |`)
    expect(image.max_wait_seconds).toBeNull()
    expect(guide).toContain(`${api.services.limits.container_settings_bytes / 1024} KiB together`)
  })
})
