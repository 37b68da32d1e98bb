import { TestReceiver } from '@workly/delivery/testing'
import { attemptsWithContainers, cancelRun, recordCallback, retryRun } from '@workly/services'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { exit } from '../../test/fake-engine.ts'
import { ImageBench, image } from '../../test/image-bench.ts'

let bench: ImageBench
let target: TestReceiver
beforeAll(async () => {
  bench = await ImageBench.open()
  target = await TestReceiver.start()
})
afterEach(() => bench.clear())
afterAll(async () => {
  await bench?.shop.close()
  await target?.close()
})

test('a pipeline of both kinds hands over on exit, on response and on callback', async () => {
  await bench.work()
  const { run } = await bench.start({
    max_attempts: 1,
    steps: [
      { id: 'export', image: image() },
      { id: 'tell', url: target.url('/tell') },
      { id: 'train', image: image({ name: 'team/train', max_wait_seconds: 60 }) },
      { id: 'report', image: image({ name: 'team/write' }) },
    ],
  })
  expect(await bench.specOf(run.id)).toMatchObject({ name: 'team/report', stepId: 'export' })
  await bench.engine.end(run.id, exit(0))
  await bench.engine.until(() => bench.engine.running.some(spec => spec.stepId === 'train'))
  const train = bench.engine.running.find(spec => spec.stepId === 'train')
  const token = train?.callbackUri.split('/').at(-1) ?? ''
  await recordCallback(bench.shop.services, train?.attemptId ?? '', { token }, { result: 'OK' })
  // The container of the step before still goes.
  await bench.engine.until(() => bench.engine.running.some(spec => spec.stepId === 'report'))
  expect(bench.engine.running.map(spec => spec.stepId).toSorted()).toEqual(['report', 'train'])
  const report = bench.engine.running.find(spec => spec.stepId === 'report')
  await bench.engine.end(run.id, exit(0))
  const isThere = await attemptsWithContainers(bench.shop.services, [report?.attemptId ?? ''])
  expect(isThere.size).toBe(1)
  await bench.engine.until(() => bench.engine.size === 1)
  await bench.engine.end(run.id, exit(5))
  const ended = await bench.shop.runIn(run.id, 'failed')
  expect(ended.steps.map(step => step.state)).toEqual(['succeeded', 'succeeded', 'succeeded', 'failed'])
})

test('a step that fails stops the pipeline, which goes on from there when it is retried', async () => {
  await bench.work()
  const { run } = await bench.start({
    max_attempts: 1,
    steps: [
      { id: 'export', url: target.url('/export') },
      { id: 'train', image: image() },
      { id: 'report', url: target.url('/report') },
    ],
  })
  await bench.engine.end(run.id, exit(2))
  const failed = await bench.shop.runIn(run.id, 'failed')
  expect(failed.steps.map(step => step.state)).toEqual(['succeeded', 'failed', 'not_run'])
  expect(failed.error).toMatchObject({
    class: 'container_exit',
    message: expect.stringContaining('Step train'),
  })
  expect(await bench.gone(run.id)).toBe(true)
  await retryRun(bench.shop.ctx, run.id, { from_step: 'failed' })
  await bench.engine.end(run.id, exit(0))
  const ended = await bench.shop.runIn(run.id, 'succeeded')
  expect(ended.steps.map(step => step.attempts_made)).toEqual([1, 2, 1])
})

test('the running step of a pipeline is cancelled by its name, and no other', async () => {
  await bench.work()
  const { run } = await bench.start({
    steps: [
      { id: 'train', image: image() },
      { id: 'tell', url: target.url('/') },
    ],
  })
  await bench.specOf(run.id)
  await expect(cancelRun(bench.shop.ctx, run.id, { stepId: 'tell' })).rejects.toMatchObject({
    code: 'conflict',
  })
  await expect(cancelRun(bench.shop.ctx, run.id, { stepId: 'none' })).rejects.toMatchObject({
    code: 'not_found',
  })
  const { run: cancelled } = await cancelRun(bench.shop.ctx, run.id, { stepId: 'train' })
  expect(cancelled.steps.map(step => step.state)).toEqual(['cancelled', 'not_run'])
  expect(await bench.gone(run.id)).toBe(true)
  await expect(cancelRun(bench.shop.ctx, run.id, { stepId: 'train' })).rejects.toMatchObject({
    code: 'conflict',
  })
})
