import { TestReceiver } from '@workly/delivery/testing'
import { putJob, triggerJob } from '@workly/services'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openWorkshop, type Workshop } from '../test/workshop.ts'

/** More than the worker has deliveries (50), and than the project may have calls in flight (100) or per host (50). */
const WAITS = 120

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

test('open waits are rows alone: no worker holds them, no task, no slot, however many there are', async () => {
  const { ctx } = shop
  const { sql } = shop.test
  const worker = await shop.startWorker()
  await putJob(ctx, 'exporting', {
    cron: '0 3 * * *',
    overlap: 'allow',
    url: target.url('/export'),
    response: { callback: { max_wait_seconds: 600 } },
  })
  for (let n = 0; n < WAITS; n++) await triggerJob(ctx, 'exporting')

  const waiting = () => sql`select 1 from attempts where state = 'waiting'`.then(rows => rows.length)
  await expect.poll(waiting, { timeout: 50_000 }).toBe(WAITS)

  expect(worker.stats()).toEqual({ inFlight: 0, containers: 0 })
  expect(await sql`select 1 from runs where slot_host is not null`).toEqual([])
  // The queue hears of a task's end a moment after.
  await expect
    .poll(() => sql`select 1 from graphile_worker._private_jobs`.then(rows => rows.length), {
      timeout: 10_000,
    })
    .toBe(0)
})
