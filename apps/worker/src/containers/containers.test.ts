import type { Image, JobPut, Run } from '@workly/core'
import { NoExecutor } from '@workly/delivery'
import { TestReceiver } from '@workly/delivery/testing'
import {
  attemptsWithContainers,
  cancelRun,
  deleteJob,
  getRun,
  putJob,
  recordCallback,
  retryRun,
  triggerJob,
  untilGone,
} from '@workly/services'
import pino from 'pino'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { exit, FakeEngine } from '../../test/fake-engine.ts'
import { openWorkshop, type Workshop } from '../../test/workshop.ts'
import type { RunningWorker } from '../worker.ts'
import { sweepLeaked } from './leaked-containers.ts'

let shop: Workshop
let target: TestReceiver
let engine: FakeEngine
let workers: RunningWorker[]
let names = 0

beforeAll(async () => {
  shop = await openWorkshop()
  target = await TestReceiver.start()
})
afterAll(async () => {
  await shop?.close()
  await target?.close()
})
beforeEach(() => {
  engine = new FakeEngine()
  workers = []
})
afterEach(async () => {
  await Promise.all(workers.map(worker => worker.stop()))
})

async function work(kind: 'docker' | 'kubernetes' = 'docker'): Promise<RunningWorker> {
  const worker = await shop.startWorker({ images: { executor: engine.executor(kind), kind } })
  workers.push(worker)
  return worker
}

async function stop(worker: RunningWorker): Promise<void> {
  workers = workers.filter(other => other !== worker)
  await worker.stop()
}

const image = (more: Partial<Image> = {}): Image => ({ name: 'team/report', tag: '1.4.0', ...more })

async function start(settings: Partial<JobPut> = {}): Promise<{ job: string; run: Run }> {
  const job = `image-${++names}`
  const target = settings.steps ? {} : { image: image() }
  await putJob(shop.ctx, job, { cron: '0 0 1 1 *', min_backoff_seconds: 0, ...target, ...settings })
  return { job, run: await triggerJob(shop.ctx, job) }
}

const specOf = async (runId: string) => {
  const find = () => engine.running.find(spec => spec.runId === runId)
  await engine.until(() => find() !== undefined)
  return find()
}

const gone = (runId: string) => untilGone(shop.ctx, runId)

test('a container gets what its job says, with secrets in the clear and its callback, and its exit ends the run', async () => {
  await work()
  const { run } = await start({
    image: image({
      command: ['sh'],
      args: ['-c', 'true'],
      env: { LEVEL: 'debug', PASSWORD: { secret: 'hunter22' } },
      env_from: [{ secret: 'db', prefix: 'DB_' }, { config_map: 'conf' }],
      timeout_seconds: 60,
    }),
  })
  const spec = await specOf(run.id)
  expect(spec).toEqual({
    organizationId: shop.ctx.organizationId,
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
  await engine.end(run.id, exit(0, `level debug, password hunter22, ${spec?.callbackUri}\n`))
  const ended = await shop.runIn(run.id, 'succeeded')
  const masked = `level debug, password ••••, http://workly.test/v1/callbacks/${spec?.attemptId}/••••\n`
  expect(ended.attempts).toMatchObject([{ state: 'succeeded', container: { exit_code: 0, log: masked } }])
  expect(await gone(run.id)).toBe(true)
  expect(engine.size).toBe(0)
})

test('a container holds no task and no place among the calls', async () => {
  const worker = await work()
  const { run } = await start()
  await specOf(run.id)
  await shop.runWhere(run.id, () => worker.stats().containers === 1)
  expect(worker.stats()).toEqual({ inFlight: 0, containers: 1 })
  expect(await shop.test.sql`select 1 from graphile_worker._private_jobs where key = ${run.id}`).toEqual([])
  await engine.end(run.id, exit(0))
  await shop.runIn(run.id, 'succeeded')
})

test('a failure is retried, with another container, once the one of before is gone', async () => {
  await work()
  const removal = Promise.withResolvers<void>()
  engine.removeGate = removal.promise
  const { run } = await start({ max_attempts: 2 })
  await engine.end(run.id, exit(3))
  await shop.runWhere(run.id, ({ attempts }) => attempts[0]?.state === 'failed')
  expect(engine.starts.size).toBe(1)
  removal.resolve()
  await shop.runWhere(run.id, ({ attempts }) => attempts.length === 2)
  await engine.until(() => engine.starts.size === 2)
  await engine.end(run.id, exit(4))
  const ended = await shop.runIn(run.id, 'failed')
  expect(ended.attempts.map(({ container }) => container?.exit_code)).toEqual([3, 4])
  expect([...engine.starts.values()]).toEqual([1, 1])
})

test('what can be told at the start fails the attempt at once', async () => {
  await work()
  engine.refuseStart = {
    ...exit(1),
    class: 'container_config',
    message: 'No secret "db".',
    log: null,
    exitCode: null,
  }
  const { run } = await start()
  const ended = await shop.runIn(run.id, 'failed')
  expect(ended).toMatchObject({ error: { class: 'container_config', message: 'No secret "db".' } })
  expect(await gone(run.id)).toBe(true)
})

test('without an executor every image fails at once and says so, and leaves nothing behind', async () => {
  workers.push(await shop.startWorker({ images: { executor: new NoExecutor(), kind: null } }))
  const { run } = await start()
  const ended = await shop.runIn(run.id, 'failed')
  expect(ended.attempts).toHaveLength(1)
  expect(ended.error).toMatchObject({
    class: 'executor',
    message: expect.stringContaining('WORKLY_IMAGE_EXECUTOR'),
  })
  expect(await gone(run.id)).toBe(true)
})

test('a cancel removes the container, and is done when it is gone', async () => {
  await work()
  const removal = Promise.withResolvers<void>()
  engine.removeGate = removal.promise
  const { run } = await start({ max_attempts: 3 })
  await specOf(run.id)
  const { isGone } = await cancelRun(shop.ctx, run.id)
  expect(isGone).toBe(false)
  const waiting = gone(run.id)
  await shop.runWhere(run.id, ({ attempts }) => attempts[0]?.container?.log === 'so far\n')
  expect(engine.size).toBe(1)
  removal.resolve()
  expect(await waiting).toBe(true)
  expect(engine.size).toBe(0)
  const cancelled = await getRun(shop.ctx, run.id)
  expect(cancelled).toMatchObject({ state: 'cancelled', attempts: [{ state: 'cancelled' }] })
  expect(cancelled.cancel_requested_at).not.toBeNull()
})

test('a cancel while the container is being made starts none', async () => {
  await work()
  engine.startGate = new Promise(() => undefined)
  const { run } = await start()
  await shop.runWhere(run.id, ({ attempts }) => attempts.length === 1)
  await cancelRun(shop.ctx, run.id)
  expect(await gone(run.id)).toBe(true)
  expect(engine.starts.size).toBe(0)
})

test('the deletion of a job removes its container', async () => {
  await work()
  const { job, run } = await start()
  await specOf(run.id)
  await deleteJob(shop.ctx, job)
  expect(await gone(run.id)).toBe(true)
  expect(engine.size).toBe(0)
})

test('a worker that stops hands its containers over: the same attempt goes on, and nothing is started twice', async () => {
  const first = await work()
  const { run } = await start()
  const spec = await specOf(run.id)
  await stop(first)
  await work()
  await engine.end(run.id, exit(0))
  const ended = await shop.runIn(run.id, 'succeeded')
  expect(ended.attempts).toHaveLength(1)
  expect(engine.starts).toEqual(new Map([[spec?.attemptId, 1]]))
})

test('one that stops while it starts a container leaves the start to another, under the same name', async () => {
  const gate = Promise.withResolvers<void>()
  engine.startGate = gate.promise
  const first = await work()
  const { run } = await start()
  await shop.runWhere(run.id, ({ attempts }) => attempts.length === 1)
  await stop(first)
  await work()
  gate.resolve()
  await engine.end(run.id, exit(0))
  const ended = await shop.runIn(run.id, 'succeeded')
  expect(ended.attempts).toHaveLength(1)
  expect([...engine.starts.values()]).toEqual([1])
})

test('a cancel is carried out though the worker that had the container is gone', async () => {
  const first = await work()
  const { run } = await start()
  await specOf(run.id)
  await stop(first)
  expect(await cancelRun(shop.ctx, run.id)).toMatchObject({ isGone: false })
  await work()
  expect(await gone(run.id)).toBe(true)
  expect(engine.size).toBe(0)
})

test('a callback ends the run while its container goes on, which is left to its exit and then removed', async () => {
  const worker = await work()
  const { run } = await start({ image: image({ max_wait_seconds: 60 }) })
  const spec = await specOf(run.id)
  const token = spec?.callbackUri.split('/').at(-1) ?? ''
  await recordCallback(shop.services, spec?.attemptId ?? '', { token }, { result: 'OK' })
  await shop.runIn(run.id, 'succeeded')
  expect(engine.size).toBe(1)
  expect(worker.stats().containers).toBe(1)
  await engine.end(run.id, exit(7, 'after all\n'))
  expect(await gone(run.id)).toBe(true)
  const ended = await getRun(shop.ctx, run.id)
  expect(ended).toMatchObject({
    state: 'succeeded',
    attempts: [{ container: { exit_code: 7, log: 'after all\n' } }],
  })
})

test('a pipeline of both kinds hands over on exit, on response and on callback', async () => {
  await work()
  const { run } = await start({
    max_attempts: 1,
    steps: [
      { id: 'export', image: image() },
      { id: 'tell', url: target.url('/tell') },
      { id: 'train', image: image({ name: 'team/train', max_wait_seconds: 60 }) },
      { id: 'report', image: image({ name: 'team/write' }) },
    ],
  })
  expect(await specOf(run.id)).toMatchObject({ name: 'team/report', stepId: 'export' })
  await engine.end(run.id, exit(0))
  await engine.until(() => engine.running.some(spec => spec.stepId === 'train'))
  const train = engine.running.find(spec => spec.stepId === 'train')
  const token = train?.callbackUri.split('/').at(-1) ?? ''
  await recordCallback(shop.services, train?.attemptId ?? '', { token }, { result: 'OK' })
  // The container of the step before still goes.
  await engine.until(() => engine.running.some(spec => spec.stepId === 'report'))
  expect(engine.running.map(spec => spec.stepId).toSorted()).toEqual(['report', 'train'])
  const report = engine.running.find(spec => spec.stepId === 'report')
  await engine.end(run.id, exit(0))
  const isThere = await attemptsWithContainers(shop.services, [report?.attemptId ?? ''])
  expect(isThere.size).toBe(1)
  await engine.until(() => engine.size === 1)
  await engine.end(run.id, exit(5))
  const ended = await shop.runIn(run.id, 'failed')
  expect(ended.steps.map(step => step.state)).toEqual(['succeeded', 'succeeded', 'succeeded', 'failed'])
})

test('a step that fails stops the pipeline, which goes on from there when it is retried', async () => {
  await work()
  const { run } = await start({
    max_attempts: 1,
    steps: [
      { id: 'export', url: target.url('/export') },
      { id: 'train', image: image() },
      { id: 'report', url: target.url('/report') },
    ],
  })
  await engine.end(run.id, exit(2))
  const failed = await shop.runIn(run.id, 'failed')
  expect(failed.steps.map(step => step.state)).toEqual(['succeeded', 'failed', 'not_run'])
  expect(failed.error).toMatchObject({
    class: 'container_exit',
    message: expect.stringContaining('Step train'),
  })
  expect(await gone(run.id)).toBe(true)
  await retryRun(shop.ctx, run.id, { from_step: 'failed' })
  await engine.end(run.id, exit(0))
  const ended = await shop.runIn(run.id, 'succeeded')
  expect(ended.steps.map(step => step.attempts_made)).toEqual([1, 2, 1])
})

test('the running step of a pipeline is cancelled by its name, and no other', async () => {
  await work()
  const { run } = await start({
    steps: [
      { id: 'train', image: image() },
      { id: 'tell', url: target.url('/') },
    ],
  })
  await specOf(run.id)
  await expect(cancelRun(shop.ctx, run.id, { stepId: 'tell' })).rejects.toMatchObject({ code: 'conflict' })
  await expect(cancelRun(shop.ctx, run.id, { stepId: 'none' })).rejects.toMatchObject({ code: 'not_found' })
  const { run: cancelled } = await cancelRun(shop.ctx, run.id, { stepId: 'train' })
  expect(cancelled.steps.map(step => step.state)).toEqual(['cancelled', 'not_run'])
  expect(await gone(run.id)).toBe(true)
  await expect(cancelRun(shop.ctx, run.id, { stepId: 'train' })).rejects.toMatchObject({ code: 'conflict' })
})

test('a container without a handle is removed once it is old enough, one with a handle never is', async () => {
  await work()
  const { run } = await start()
  const spec = await specOf(run.id)
  const executor = engine.executor()
  const { organizationId } = shop.ctx
  const old = new Date(Date.now() - 120_000)
  for (const [attemptId, createdAt] of [['att_old', old] as const, ['att_new', new Date()] as const]) {
    engine.leak(executor.refFor({ organizationId, attemptId }), organizationId, 'run_x', attemptId, createdAt)
  }
  const parts = {
    services: shop.services,
    executor,
    log: pino({ level: 'silent' }),
    nowMs: () => Date.now() + 50_000,
  }
  const never = new AbortController().signal
  expect(await sweepLeaked(parts, never)).toBe(1)
  expect(await sweepLeaked({ ...parts, leakedAfterMs: 0 }, never)).toBe(1)
  expect(engine.running.map(({ attemptId }) => attemptId)).toEqual([spec?.attemptId])
  expect(engine.size).toBe(1)
  await engine.end(run.id, exit(0))
  await shop.runIn(run.id, 'succeeded')
})
