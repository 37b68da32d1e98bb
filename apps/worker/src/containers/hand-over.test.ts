import { createSql } from '@workly/db'
import {
  adoptContainers,
  cancelRun,
  containerGone,
  getRun,
  readEncryptionKeys,
  registerWorker,
  SecretValues,
  type WatchedContainer,
} from '@workly/services'
import pino from 'pino'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { exit } from '../../test/fake-engine.ts'
import { ImageBench, image } from '../../test/image-bench.ts'
import { DatabaseClock } from '../clock.ts'
import { Lease } from '../lease.ts'
import { ContainerWatch, type WatchParts } from './watch.ts'

let bench: ImageBench
beforeAll(async () => {
  bench = await ImageBench.open()
})
afterEach(() => bench.clear())
afterAll(async () => {
  await bench?.shop.close()
})

test('a worker that stops hands its containers over: the same attempt goes on, and nothing is started twice', async () => {
  const first = await bench.work()
  const { run } = await bench.start()
  const spec = await bench.specOf(run.id)
  await bench.stop(first)
  await bench.work()
  await bench.engine.end(run.id, exit(0))
  const ended = await bench.shop.runIn(run.id, 'succeeded')
  expect(ended.attempts).toHaveLength(1)
  expect(bench.engine.starts).toEqual(new Map([[spec.attemptId, 1]]))
})

test('one that stops while it starts a container leaves the start to another, under the same name', async () => {
  const gate = Promise.withResolvers<void>()
  bench.engine.startGate = gate.promise
  const first = await bench.work()
  const { run } = await bench.start()
  await bench.shop.runWhere(run.id, ({ attempts }) => attempts.length === 1)
  await bench.stop(first)
  await bench.work()
  gate.resolve()
  await bench.engine.end(run.id, exit(0))
  const ended = await bench.shop.runIn(run.id, 'succeeded')
  expect(ended.attempts).toHaveLength(1)
  expect([...bench.engine.starts.values()]).toEqual([1])
})

test('a cancel is carried out though the worker that had the container is gone', async () => {
  const first = await bench.work()
  const { run } = await bench.start()
  await bench.specOf(run.id)
  await bench.stop(first)
  expect(await cancelRun(bench.shop.ctx, run.id)).toMatchObject({ isGone: false })
  await bench.work()
  expect(await bench.gone(run.id)).toBe(true)
  expect(bench.engine.size).toBe(0)
  const { attempts } = await getRun(bench.shop.ctx, run.id)
  expect(attempts).toMatchObject([{ state: 'cancelled', container: { log: 'so far\n' } }])
})

/** What a watch stands on whose worker has another key list, or no lease. */
function watchParts(over: Partial<WatchParts>): WatchParts {
  const clock = new DatabaseClock()
  clock.measured(new Date(), clock.reading(), clock.reading())
  const services = over.services ?? bench.shop.services
  return {
    services,
    secretValues: new SecretValues(services),
    publicUrl: 'http://workly.test',
    executor: bench.engine.executor(),
    kind: 'docker',
    workerId: () => 'wrk_none',
    clock,
    lease: new Lease(() => Promise.reject(new Error('no lease')), clock),
    log: pino({ level: 'silent' }),
    ...over,
  }
}

const signals = () => ({ stop: new AbortController().signal, remove: new AbortController().signal })

async function adoptAs(workerId: string): Promise<WatchedContainer> {
  const adopter = { workerId, executor: 'docker' as const, held: [] }
  for (;;) {
    const [container] = await adoptContainers(bench.shop.services, adopter, 1)
    if (container) return container
  }
}

const identity = { poolId: 'pool', host: 'test', pid: 1, version: '0.0.0-test' }

test('connections to the database that break lose no outcome and start nothing again', async () => {
  const worker = await bench.work()
  const { run } = await bench.start({ max_attempts: 1 })
  const spec = await bench.specOf(run.id)
  await bench.shop.runWhere(run.id, () => worker.stats().containers === 1)
  // A connection of the test's own, since the others share the worker's.
  const sql = createSql(bench.shop.test.url, { max: 1, name: 'breaks others' })
  const breakAll = () => sql`
    select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()`
  await breakAll()
  await bench.engine.end(run.id, exit(9))
  await breakAll()
  const attempts = () => sql<{ id: string; state: string; exit_code: number }[]>`
    select id, state, exit_code from attempts where run_id = ${run.id}`
  while ((await attempts()).some(({ state }) => state === 'waiting'));
  expect(await attempts()).toEqual([{ id: spec.attemptId, state: 'failed', exit_code: 9 }])
  expect(bench.engine.starts.get(spec.attemptId)).toBe(1)
  await sql.end()
})

test('a removal that a worker could not finish is finished by the next', async () => {
  const first = await bench.work()
  bench.engine.removeGate = new Promise(() => undefined)
  const { run } = await bench.start()
  await bench.engine.end(run.id, exit(0))
  await bench.shop.runIn(run.id, 'succeeded')
  await bench.stop(first)
  expect(bench.engine.size).toBe(1)
  bench.engine.removeGate = Promise.resolve()
  await bench.work()
  expect(await bench.gone(run.id)).toBe(true)
  expect(bench.engine.size).toBe(0)
})

test('a worker whose lease is gone starts no container that it has begun', async () => {
  const first = await bench.work()
  bench.engine.startGate = new Promise(() => undefined)
  const { run } = await bench.start()
  await bench.shop.runWhere(run.id, ({ attempts }) => attempts.length === 1)
  await bench.stop(first)
  bench.engine.startGate = Promise.resolve()
  const workerId = await registerWorker(bench.shop.services, identity)
  const container = await adoptAs(workerId)
  expect(container).toMatchObject({ run_id: run.id, is_started: false })
  const parts = watchParts({ workerId: () => workerId })
  parts.lease.letGo()
  await new ContainerWatch(parts, container, signals()).run()
  expect(bench.engine.starts.size).toBe(0)
  await cancelRun(bench.shop.ctx, run.id)
  await containerGone(bench.shop.services, container.handle_id, new Date())
})

test('a container whose secrets cannot be read any more is watched to its end, and its log is not kept', async () => {
  const first = await bench.work()
  const { run } = await bench.start({ image: image({ env: { PASSWORD: { secret: 'hunter22' } } }) })
  await bench.specOf(run.id)
  await bench.shop.runWhere(run.id, () => first.stats().containers === 1)
  await bench.stop(first)
  const workerId = await registerWorker(bench.shop.services, identity)
  const container = await adoptAs(workerId)
  const encryption = readEncryptionKeys(`other:${Buffer.alloc(32, 1).toString('base64')}`)
  const parts = watchParts({ workerId: () => workerId, services: { ...bench.shop.services, encryption } })
  const watching = new ContainerWatch(parts, { ...container, is_started: true }, signals()).run()
  await bench.engine.end(run.id, exit(0, 'hunter22\n'))
  await watching
  const ended = await bench.shop.runIn(run.id, 'succeeded')
  expect(ended.attempts).toMatchObject([{ container: { exit_code: 0, log: null } }])
})
