import { TestReceiver } from '@workly/delivery/testing'
import { putJob, triggerJob } from '@workly/services'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openWorkshop, type Workshop } from '../test/workshop.ts'

let shop: Workshop
let target: TestReceiver
beforeAll(async () => {
  shop = await openWorkshop()
  target = await TestReceiver.start()
})
afterAll(async () => {
  await shop?.close()
  await target?.close()
})

test('a worker that is stopped in the middle of calls, with more fetched ahead, leaves no task locked and loses no run', async () => {
  // More runs than the worker calls at once (50), so that tasks are fetched ahead as well.
  shop.services.limits = {
    ...shop.services.limits,
    project_calls_in_flight: 1_000,
    host_calls_in_flight: 1_000,
  }
  const settings = { cron: '0 3 * * *', overlap: 'allow', url: target.url('/'), timeout_seconds: 60 } as const
  await putJob(shop.ctx, 'hanging', settings)
  target.answer = 'hang'
  const first = await shop.startWorker({ shutdownGraceMs: 100 })
  const runs = await Promise.all(Array.from({ length: 80 }, () => triggerJob(shop.ctx, 'hanging')))
  await target.received(50)
  await first.stop()
  const { sql } = shop.test
  expect(await sql`select id, locked_by from graphile_worker.jobs where locked_at is not null`).toEqual([])
  expect(await sql`select id from attempts where state = 'running'`).toEqual([])
  const [worker] =
    await sql`select stopped_at is not null as stopped, lost_at from workers where id = ${first.id}`
  expect(worker).toEqual({ stopped: true, lost_at: null })
  target.answer = {}
  await shop.startWorker()
  for (const run of runs) {
    const ended = await shop.runIn(run.id, 'succeeded')
    expect(ended.attempts.slice(0, -1).every(a => a.state === 'lost')).toBe(true)
  }
})
