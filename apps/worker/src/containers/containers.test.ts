import { NoExecutor } from '@workly/delivery'
import { cancelRun, deleteJob, getRun, recordCallback } from '@workly/services'
import pino from 'pino'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { exit } from '../../test/fake-engine.ts'
import { ImageBench, image } from '../../test/image-bench.ts'
import { sweepLeaked } from './leaked-containers.ts'

let bench: ImageBench
beforeAll(async () => {
  bench = await ImageBench.open()
})
afterEach(() => bench.clear())
afterAll(async () => {
  await bench?.shop.close()
})

test('a container gets what its job says, with secrets in the clear and its callback, and its exit ends the run', async () => {
  await bench.work()
  const { run } = await bench.start({
    image: image({
      command: ['sh'],
      args: ['-c', 'true'],
      env: { LEVEL: 'debug', PASSWORD: { secret: 'hunter22' } },
      env_from: [{ secret: 'db', prefix: 'DB_' }, { config_map: 'conf' }],
      timeout_seconds: 60,
    }),
  })
  const spec = await bench.specOf(run.id)
  expect(spec).toEqual({
    organizationId: bench.shop.ctx.organizationId,
    runId: run.id,
    attemptId: expect.stringMatching(/^att_/),
    stepId: null,
    name: 'team/report',
    tag: '1.4.0',
    command: ['sh'],
    args: ['-c', 'true'],
    env: { LEVEL: 'debug', PASSWORD: 'hunter22' },
    envFrom: [{ secret: 'db', prefix: 'DB_' }, { configMap: 'conf' }],
    timeoutSeconds: 60,
    callbackUri: expect.stringMatching(/^http:\/\/workly\.test\/v1\/callbacks\/att_\w+\/[\w-]{43}$/),
  })
  await bench.engine.end(run.id, exit(0, `level debug, password hunter22, ${spec.callbackUri}\n`))
  const ended = await bench.shop.runIn(run.id, 'succeeded')
  const masked = `level debug, password ••••, http://workly.test/v1/callbacks/${spec.attemptId}/••••\n`
  expect(ended.attempts).toMatchObject([{ state: 'succeeded', container: { exit_code: 0, log: masked } }])
  expect(await bench.gone(run.id)).toBe(true)
  expect(bench.engine.size).toBe(0)
})

test('a container holds no task and no place among the calls', async () => {
  const worker = await bench.work()
  const { run } = await bench.start()
  await bench.specOf(run.id)
  await bench.shop.runWhere(run.id, () => worker.stats().containers === 1)
  expect(worker.stats()).toEqual({ inFlight: 0, containers: 1 })
  // The queue hears of the task's end a moment after.
  await expect
    .poll(() => bench.shop.test.sql`select 1 from graphile_worker._private_jobs where key = ${run.id}`, {
      timeout: 10_000,
    })
    .toEqual([])
  await bench.engine.end(run.id, exit(0))
  await bench.shop.runIn(run.id, 'succeeded')
})

test('a failure is retried, with another container, once the one of before is gone', async () => {
  await bench.work()
  const removal = Promise.withResolvers<void>()
  bench.engine.removeGate = removal.promise
  const { run } = await bench.start({ max_attempts: 2 })
  await bench.engine.end(run.id, exit(3))
  await bench.shop.runWhere(run.id, ({ attempts }) => attempts[0]?.state === 'failed')
  expect(bench.engine.starts.size).toBe(1)
  removal.resolve()
  await bench.shop.runWhere(run.id, ({ attempts }) => attempts.length === 2)
  await bench.engine.until(() => bench.engine.starts.size === 2)
  await bench.engine.end(run.id, exit(4))
  const ended = await bench.shop.runIn(run.id, 'failed')
  expect(ended.attempts.map(({ container }) => container?.exit_code)).toEqual([3, 4])
  expect([...bench.engine.starts.values()]).toEqual([1, 1])
})

test('what can be told at the start fails the attempt at once', async () => {
  await bench.work()
  bench.engine.refuseStart = {
    ...exit(1),
    class: 'container_config',
    message: 'No secret "db".',
    log: null,
    exitCode: null,
  }
  const { run } = await bench.start()
  const ended = await bench.shop.runIn(run.id, 'failed')
  expect(ended).toMatchObject({ error: { class: 'container_config', message: 'No secret "db".' } })
  expect(await bench.gone(run.id)).toBe(true)
})

test('without an executor every image fails at once and says so, and leaves nothing behind', async () => {
  await bench.work({ images: { executor: new NoExecutor(), kind: null } }.images)
  const { run } = await bench.start()
  const ended = await bench.shop.runIn(run.id, 'failed')
  expect(ended.attempts).toHaveLength(1)
  expect(ended.error).toMatchObject({
    class: 'executor',
    message: expect.stringContaining('WORKLY_IMAGE_EXECUTOR'),
  })
  expect(await bench.gone(run.id)).toBe(true)
})

test('a cancel removes the container, and is done when it is gone', async () => {
  await bench.work()
  const removal = Promise.withResolvers<void>()
  bench.engine.removeGate = removal.promise
  const { run } = await bench.start({ max_attempts: 3 })
  await bench.specOf(run.id)
  const { isGone } = await cancelRun(bench.shop.ctx, run.id)
  expect(isGone).toBe(false)
  const waiting = bench.gone(run.id)
  await bench.shop.runWhere(run.id, ({ attempts }) => attempts[0]?.container?.log === 'so far\n')
  expect(bench.engine.size).toBe(1)
  removal.resolve()
  expect(await waiting).toBe(true)
  expect(bench.engine.size).toBe(0)
  const cancelled = await getRun(bench.shop.ctx, run.id)
  expect(cancelled).toMatchObject({ state: 'cancelled', attempts: [{ state: 'cancelled' }] })
  expect(cancelled.cancel_requested_at).not.toBeNull()
})

test('a cancel while the container is being made starts none', async () => {
  await bench.work()
  bench.engine.startGate = new Promise(() => undefined)
  const { run } = await bench.start()
  await bench.shop.runWhere(run.id, ({ attempts }) => attempts.length === 1)
  await cancelRun(bench.shop.ctx, run.id)
  expect(await bench.gone(run.id)).toBe(true)
  expect(bench.engine.starts.size).toBe(0)
})

test('the deletion of a job removes its container', async () => {
  await bench.work()
  const { job, run } = await bench.start()
  await bench.specOf(run.id)
  await deleteJob(bench.shop.ctx, job)
  expect(await bench.gone(run.id)).toBe(true)
  expect(bench.engine.size).toBe(0)
})

test('a callback ends the run while its container goes on, which is left to its exit and then removed', async () => {
  const worker = await bench.work()
  const { run } = await bench.start({ image: image({ max_wait_seconds: 60 }) })
  const spec = await bench.specOf(run.id)
  const token = spec.callbackUri.split('/').at(-1) ?? ''
  await recordCallback(bench.shop.services, spec.attemptId, { token }, { result: 'OK' })
  await bench.shop.runIn(run.id, 'succeeded')
  expect(bench.engine.size).toBe(1)
  expect(worker.stats().containers).toBe(1)
  await bench.engine.end(run.id, exit(7, 'after all\n'))
  expect(await bench.gone(run.id)).toBe(true)
  const ended = await getRun(bench.shop.ctx, run.id)
  expect(ended).toMatchObject({
    state: 'succeeded',
    attempts: [{ container: { exit_code: 7, log: 'after all\n' } }],
  })
})

test('a container without a handle is removed once it is old enough, one with a handle never is', async () => {
  await bench.work()
  const { run } = await bench.start()
  const spec = await bench.specOf(run.id)
  const executor = bench.engine.executor()
  const { organizationId } = bench.shop.ctx
  const old = new Date(Date.now() - 120_000)
  for (const [attemptId, createdAt] of [['att_old', old] as const, ['att_new', new Date()] as const]) {
    bench.engine.leak(
      executor.refFor({ organizationId, attemptId }),
      organizationId,
      'run_x',
      attemptId,
      createdAt,
    )
  }
  const parts = {
    services: bench.shop.services,
    executor,
    log: pino({ level: 'silent' }),
    nowMs: () => Date.now() + 50_000,
  }
  const never = new AbortController().signal
  expect(await sweepLeaked(parts, never)).toBe(1)
  expect(await sweepLeaked({ ...parts, leakedAfterMs: 0 }, never)).toBe(1)
  expect(bench.engine.running.map(({ attemptId }) => attemptId)).toEqual([spec.attemptId])
  expect(bench.engine.size).toBe(1)
  await bench.engine.end(run.id, exit(0))
  await bench.shop.runIn(run.id, 'succeeded')
})
