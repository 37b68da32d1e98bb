import { TestReceiver } from '@workly/delivery/testing'
import { listRuns, putJob, triggerJob } from '@workly/services'
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
  // More runs than the worker calls at once by tasks (25), so that tasks are fetched ahead as well.
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
  await target.received(25)
  await first.stop()
  const { sql } = shop.test
  expect(await sql`select id, locked_by from graphile_worker.jobs where locked_at is not null`).toEqual([])
  expect(await sql`select id from attempts where state = 'running'`).toEqual([])
  const [worker] =
    await sql`select stopped_at is not null as stopped, lost_at from workers where id = ${first.id}`
  expect(worker).toEqual({ stopped: true, lost_at: null })
  target.answer = {}
  const second = await shop.startWorker()
  for (const run of runs) {
    const ended = await shop.runIn(run.id, 'succeeded')
    expect(ended.attempts.slice(0, -1).every(a => a.state === 'lost')).toBe(true)
  }
  await second.stop()
})

test('a worker that is stopped in the middle of calls that it began as it claimed them loses no run', async () => {
  target.answer = 'hang'
  const from = target.requests.length
  const at = new Date(Date.now() + 1_000).toISOString()
  const names = ['one', 'two', 'three']
  for (const name of names) await putJob(shop.ctx, name, { at, url: target.url('/at') })
  const worker = await shop.startWorker({ shutdownGraceMs: 100 })
  await target.received(from + names.length)
  const { sql } = shop.test
  expect(await sql`select id from graphile_worker.jobs`).toEqual([])
  const begun = await sql`select id from attempts where state = 'running' and worker_id = ${worker.id}`
  expect(begun).toHaveLength(names.length)
  await worker.stop()
  target.answer = {}
  await shop.startWorker()
  for (const name of names) {
    const { data } = await listRuns(shop.ctx, { job: name })
    const ended = await shop.runIn(data[0]?.id ?? '', 'succeeded')
    expect(ended.attempts.map(attempt => attempt.state)).toEqual(['lost', 'succeeded'])
  }
})
