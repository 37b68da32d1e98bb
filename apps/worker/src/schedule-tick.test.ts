import { type BegunAttempt, getJob, putJob, registerWorker, type Services } from '@workly/services'
import pino from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openWorkshop, type Workshop } from '../test/workshop.ts'
import { DatabaseClock } from './clock.ts'
import { type CallTaker, ScheduleTick } from './schedule-tick.ts'

let shop: Workshop
let clock: DatabaseClock
beforeAll(async () => {
  shop = await openWorkshop()
  clock = new DatabaseClock()
  const [row] = await shop.test.sql<{ now: Date }[]>`select clock_timestamp() as now`
  const at = clock.reading()
  clock.measured(row?.now ?? new Date(0), at, at)
  await putJob(shop.ctx, 'job', { cron: '0 3 * * *', url: 'https://target.example/' })
})
afterAll(() => shop?.close())

const log = pino({ level: 'silent' })

/** Makes the job due without a word to anybody; the claim finds no time of its schedule there and moves it on. */
async function makeDue(): Promise<void> {
  await shop.test.sql`update jobs set next_run_at = now() where name = 'job'`
}

/** Resolves when the job has been claimed; fails after 20 s. */
async function claimed(): Promise<void> {
  for (const until = Date.now() + 20_000; Date.now() < until; ) {
    const { job } = await getJob(shop.ctx, 'job')
    if (job.next_run_at !== null && Date.parse(job.next_run_at) > clock.now().getTime()) return
    await new Promise(resolve => setTimeout(resolve, 20))
  }
  throw new Error('the job was not claimed')
}

test('what has become due is found without a notice, again and again', async () => {
  const tick = new ScheduleTick(shop.services, clock, log)
  tick.start()
  for (let i = 0; i < 2; i++) {
    await makeDue()
    await claimed()
  }
  await tick.stop()
})

test('a stop ends its sleep, and then it claims nothing more', async () => {
  const tick = new ScheduleTick(shop.services, clock, log)
  tick.start()
  await tick.stop()
  await makeDue()
  const { job } = await getJob(shop.ctx, 'job')
  expect(Date.parse(job.next_run_at ?? '')).toBeLessThanOrEqual(clock.now().getTime())
})

test('a database that is away for a while does not end it', async () => {
  let failures = 2
  let failed: () => void = () => undefined
  const allFailed = new Promise<void>(resolve => {
    failed = resolve
  })
  const sql = new Proxy(shop.services.sql, {
    get(target, key) {
      if (key !== 'begin' || failures === 0) return Reflect.get(target, key)
      if (--failures === 0) failed()
      return () => Promise.reject(new Error('connection refused'))
    },
  })
  const services: Services = { ...shop.services, sql }
  await makeDue()
  const tick = new ScheduleTick(services, clock, log)
  tick.start()
  await allFailed
  await claimed()
  await tick.stop()
})

test('a notice wakes it from its sleep, also one that comes while it works', async () => {
  const tick = new ScheduleTick(shop.services, clock, log)
  tick.start()
  tick.wake()
  await makeDue()
  tick.wake()
  await claimed()
  await tick.stop()
})

/** Jobs that are due a second ago, once each. */
async function dueJobs(count: number): Promise<void> {
  const names = Array.from({ length: count }, (_, n) => `due-${count}-${n}`)
  const at = new Date(clock.now().getTime() + 3_600_000).toISOString()
  for (const name of names) await putJob(shop.ctx, name, { at, url: 'https://target.example/' })
  const { sql } = shop.test
  await sql`
    update schedule_versions set at = date_trunc('second', now()) - interval '1 second'
    where job_id in (select id from jobs where name = any(${names}))`
  await sql`update jobs set next_run_at = date_trunc('second', now()) - interval '1 second' where name = any(${names})`
}

/** Takes what it has room for, and waits for the others' room by hand. */
async function takerWith(room: number) {
  const workerId = await registerWorker(shop.services, { poolId: 'pool', host: 'test', pid: 1, version: '0' })
  const taken: BegunAttempt[] = []
  const taker: CallTaker = {
    hand: () => ({ workerId, room }),
    untilRoomy: async () => {},
    take: begun => taken.push(...begun),
  }
  return { taker, taken }
}

test('what a worker has room for is handed to it as it is claimed, room by room', async () => {
  const { taker, taken } = await takerWith(25)
  await dueJobs(35)
  const tick = new ScheduleTick(shop.services, clock, log, taker)
  tick.start()
  await expect.poll(() => taken.length, { timeout: 20_000 }).toBe(35)
  await tick.stop()
  expect(new Set(taken.map(attempt => attempt.job_id)).size).toBe(35)
  expect(
    await shop.test.sql`select id from graphile_worker.jobs where task_identifier = 'deliver-run'`,
  ).toEqual([])
})

test('with little room the others are claimed all the same, for whoever has some', async () => {
  const { taker, taken } = await takerWith(3)
  await dueJobs(10)
  const tick = new ScheduleTick(shop.services, clock, log, taker)
  tick.start()
  await expect.poll(() => taken.length, { timeout: 20_000 }).toBe(3)
  await tick.stop()
  expect(
    await shop.test.sql`select id from graphile_worker.jobs where task_identifier = 'deliver-run'`,
  ).toHaveLength(7)
})
