import * as services from '@workly/services'
import { ContainerHands } from '@workly/services/testing/containers'
import { PretendWorker } from '@workly/services/testing/pretend-worker'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { startTestApi, type TestApi } from '../../test/api-fixture.ts'

// A minute is what the API waits for a container to go; here a tenth of a second.
const asked: (number | undefined)[] = []
vi.mock(import('@workly/services'), async original => {
  const actual = await original()
  return {
    ...actual,
    untilGone: (ctx, runId, withinMs) => {
      asked.push(withinMs)
      return actual.untilGone(ctx, runId, 100)
    },
  }
})

let api: TestApi
beforeAll(async () => {
  api = await startTestApi()
})
afterAll(() => api?.close())

it('POST /v1/runs/{id}/cancel answers 202 and says since when, if the container has not gone in time', async () => {
  const image = { name: 'team/report', tag: '1.4.0' }
  await api.call('PUT', '/v1/jobs/contained', { body: { cron: '0 3 * * *', image } })
  const { id } = await services.triggerJob(api.own.ctx, 'contained')
  const hands = new ContainerHands(api.services, await PretendWorker.start(api.services))
  const container = await hands.one()
  const slow = await api.call('POST', `/v1/runs/${id}/cancel`)
  expect(slow.status).toBe(202)
  expect(slow.body).toMatchObject({ id, state: 'cancelled', cancel_requested_at: expect.any(String) })
  // No other wait is asked for than the one that is set.
  expect(asked).toEqual([undefined])
  expect(services.GONE_WITHIN_MS).toBe(60_000)
  await hands.gone(container)
})
