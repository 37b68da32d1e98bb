import {
  type BegunAttempt,
  cancelRun,
  type FinishedCall,
  getRun,
  putJob,
  registerWorker,
  type Services,
  triggerJob,
} from '@workly/services'
import pino from 'pino'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { openWorkshop, type Workshop } from '../test/workshop.ts'
import { DatabaseClock } from './clock.ts'
import { Deliveries } from './deliveries.ts'

let shop: Workshop
let clock: DatabaseClock
let worker: string
beforeAll(async () => {
  shop = await openWorkshop()
  clock = new DatabaseClock()
  const [row] = await shop.test.sql<{ now: Date }[]>`select clock_timestamp() as now`
  const at = clock.reading()
  clock.measured(row?.now ?? new Date(0), at, at)
  await putJob(shop.ctx, 'job', { cron: '0 3 * * *', url: 'https://target.example/', overlap: 'allow' })
})
afterAll(() => shop?.close())
beforeEach(async () => {
  worker = await registerWorker(shop.services, { poolId: 'pool', host: 'test', pid: 1, version: '0' })
})

const log = pino({ level: 'silent' })
const deliveries = (services: Services = shop.services) => new Deliveries(services, () => worker, clock, log)

function answered(attempt: BegunAttempt, body = 'ok'): FinishedCall {
  return {
    attemptId: attempt.attempt_id,
    runId: attempt.run_id,
    fence: attempt.fence,
    finishedAt: clock.now(),
    result: {
      class: 'ok',
      message: null,
      status: 200,
      headers: {},
      body: Buffer.from(body),
      bodyTruncated: false,
      timings: { dns: null, connect: null, tls: null, firstByte: null, total: 1 },
      retryAfterMs: null,
    },
  }
}

/** Begins a run made by hand. */
async function begun(of: Deliveries): Promise<BegunAttempt> {
  const run = await triggerJob(shop.ctx, 'job')
  const attempt = await of.begin({ runId: run.id, taskNumber: 1 })
  if (!attempt) throw new Error('it did not begin')
  return attempt
}

/** Services whose transactions fail as long as they are told to. */
function failing(error: () => Error | null): Services {
  const sql = new Proxy(shop.services.sql, {
    get(target, key) {
      const failure = key === 'begin' ? error() : null
      return failure ? () => Promise.reject(failure) : Reflect.get(target, key)
    },
  })
  return { ...shop.services, sql }
}

test('of an old and the present task of a run in one batch only the present one gets the attempt', async () => {
  const of = deliveries()
  const run = await triggerJob(shop.ctx, 'job')
  const results = await Promise.all([0, 1, 1].map(taskNumber => of.begin({ runId: run.id, taskNumber })))
  expect(results.map(r => r?.number)).toEqual([undefined, 1, undefined])
  expect(of.heldIds()).toEqual([results[1]?.attempt_id])
})

test('what was begun is held until it has ended here', async () => {
  const of = deliveries()
  const attempt = await begun(of)
  expect(of.heldIds()).toEqual([attempt.attempt_id])
  await of.finish(answered(attempt))
  expect(of.heldIds()).toEqual([attempt.attempt_id])
  of.end(attempt)
  expect(of.heldIds()).toEqual([])
})

test('a result is written again and again while the database is away', async () => {
  const attempt = await begun(deliveries())
  let fails = 3
  const of = deliveries(failing(() => (fails-- > 0 ? new Error('connection refused') : null)))
  await of.finish(answered(attempt))
  expect(fails).toBe(-1)
  expect((await getRun(shop.ctx, attempt.run_id)).state).toBe('succeeded')
})

test('a result that is refused is kept as late, and no longer written', async () => {
  const of = deliveries()
  const attempt = await begun(of)
  await cancelRun(shop.ctx, attempt.run_id)
  await of.finish(answered(attempt))
  const run = await getRun(shop.ctx, attempt.run_id)
  expect(run).toMatchObject({ state: 'cancelled', attempts: [{ late_result: { status: 200 } }] })
})

test('a worker that stops gives up what it cannot write', async () => {
  const attempt = await begun(deliveries())
  let tries = 0
  let tried: () => void = () => undefined
  const twice = new Promise<void>(resolve => {
    tried = resolve
  })
  const of = deliveries(
    failing(() => {
      if (++tries === 2) tried()
      return new Error('connection refused')
    }),
  )
  const finishing = of.finish(answered(attempt))
  await twice
  of.giveUp()
  await finishing
  expect((await getRun(shop.ctx, attempt.run_id)).state).toBe('running')
})

test('one result that cannot be stored is written bare, and takes no other with it', async () => {
  const of = deliveries()
  const [bad, good] = [await begun(of), await begun(of)]
  const unstorable = answered(bad)
  // A NUL is what jsonb cannot hold.
  unstorable.result.headers = { 'x-nul': 'a\u0000b' }
  await Promise.all([of.finish(unstorable), of.finish(answered(good))])
  for (const { run_id } of [bad, good]) expect((await getRun(shop.ctx, run_id)).state).toBe('succeeded')
  expect((await getRun(shop.ctx, bad.run_id)).attempts[0]?.response).toMatchObject({
    status: 200,
    headers: {},
    body: '',
  })
})
