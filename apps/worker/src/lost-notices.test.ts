import { TestReceiver } from '@workly/delivery/testing'
import { putJob, triggerJob } from '@workly/services'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openWorkshop, type Workshop } from '../test/workshop.ts'

// Notices get lost with the connection that was to bring them. What they would have said is written to the tables here
// without one.

let shop: Workshop
let target: TestReceiver

beforeAll(async () => {
  shop = await openWorkshop()
  target = await TestReceiver.start()
  await shop.startWorker()
})
afterAll(async () => {
  await shop?.close()
  await target?.close()
})

test('a time that came nearer without a notice is found all the same, since the tick never sleeps for long', async () => {
  const { sql } = shop.services
  await putJob(shop.ctx, 'yearly', { cron: '0 0 1 1 *', url: target.url('/yearly') })
  const nextRunAt = async () => {
    const [row] = await sql<{ at: Date }[]>`select next_run_at as at from jobs where name = 'yearly'`
    return row?.at.toISOString().slice(4)
  }
  // Twice, since the notice of the job's creation may wake the tick at the first. The schedule has no time at these
  // instants, so a claim makes no run and the job goes on with its next time.
  for (let round = 0; round < 2; round++) {
    await sql`update jobs set next_run_at = now() where name = 'yearly'`
    await expect.poll(nextRunAt, { timeout: 20_000 }).toBe('-01-01T00:00:00.000Z')
  }
})

test('a call whose attempt was ended without a notice is hung up on', async () => {
  target.answer = 'hang'
  await putJob(shop.ctx, 'hanging', { cron: '0 3 1 1 *', url: target.url('/hanging') })
  const run = await triggerJob(shop.ctx, 'hanging')
  await target.received(1)
  await shop.services.sql`
    update attempts set state = 'cancelled', error_class = 'cancelled', finished_at = now() where run_id = ${run.id}`
  await target.disconnected()
})
