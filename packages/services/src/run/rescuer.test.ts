import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type Desk, openDesk } from '../../test/job-desk.ts'
import { PretendWorker } from '../../test/pretend-worker.ts'
import { triggerJob } from '../job/trigger-job.ts'
import { RENEW_EVERY_MS } from '../worker/register-worker.ts'
import { Rescuer } from './rescuer.ts'

let desk: Desk
beforeAll(async () => {
  desk = await openDesk()
})
afterAll(() => desk?.drop())
beforeEach(async () => {
  await desk.clear()
  desk.at('2027-01-15T12:00:00Z')
})

/** A call that a worker has begun, which then dies. */
async function begunAndDead(): Promise<{ worker: PretendWorker; run: string }> {
  const { id } = await triggerJob(desk.ctx, await desk.job())
  const worker = await PretendWorker.start(desk.services)
  expect(await worker.take()).toHaveLength(1)
  return { worker, run: id }
}

test('a run whose workers die again and again before living one lease goes on all the same', async () => {
  const rescuer = new Rescuer(desk.services)
  await rescuer.sweep()
  const first = await begunAndDead()
  const lives = [first.worker.id]
  const buried: string[] = []
  // Each worker that is started again lives for 6 s, which is less than a lease.
  for (let passed = 0; passed < 30_000; passed += 3_000) {
    desk.advance(3_000)
    if (passed % 6_000 === 0) lives.push((await PretendWorker.start(desk.services)).id)
    buried.push(...(await rescuer.sweep()).deadWorkers)
    if (buried.includes(first.worker.id)) break
  }
  expect(lives.length).toBeGreaterThan(2)
  expect(buried).toContain(first.worker.id)
  expect((await desk.attempts(first.run)).map(a => a.state)).toEqual(['lost'])
  const next = await (await PretendWorker.start(desk.services)).take()
  expect(next.map(a => a.run_id)).toEqual([first.run])
})

test('nobody is buried by a rescuer that has just begun, nor after a gap in which the database was away', async () => {
  const { worker } = await begunAndDead()
  desk.advance(60_000)
  const rescuer = new Rescuer(desk.services)
  const sweep = async () => (await rescuer.sweep()).deadWorkers
  expect(await sweep()).toEqual([])
  desk.advance(RENEW_EVERY_MS)
  expect(await sweep()).toEqual([])
  // Away: what it was asked in between it did not answer.
  const { sql } = desk.services
  desk.services.sql = Object.assign(() => Promise.reject(new Error('away')), {
    begin: () => Promise.reject(new Error('away')),
  }) as unknown as typeof sql
  await expect(rescuer.sweep()).rejects.toThrow('away')
  desk.services.sql = sql
  desk.advance(14_000)
  expect(await sweep()).toEqual([])
  desk.advance(14_000)
  expect(await sweep()).toEqual([])
  desk.advance(1_000)
  expect(await sweep()).toEqual([worker.id])
})
