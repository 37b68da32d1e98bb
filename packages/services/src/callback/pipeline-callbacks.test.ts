import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type Desk, openDesk } from '../../test/job-desk.ts'
import { pipeline, shown, step, stepNumber, stepStates } from '../../test/pipelines.ts'
import { PretendWorker } from '../../test/pretend-worker.ts'
import type { BegunAttempt } from '../attempt/begin-attempts.ts'
import { triggerJob } from '../job/trigger-job.ts'
import { cancelRun } from '../run/cancel-run.ts'
import { retryRun } from '../run/retry-run.ts'
import { callbackToken } from './callback-token.ts'
import { expireWaits } from './expire-waits.ts'
import { recordCallback } from './record-callback.ts'

let desk: Desk
let worker: PretendWorker
beforeAll(async () => {
  desk = await openDesk()
})
afterAll(() => desk?.drop())
beforeEach(async () => {
  await desk.clear()
  desk.at('2027-01-15T12:00:00Z')
  worker = await PretendWorker.start(desk.services)
})

const waiting = { response: { callback: { max_wait_seconds: 60 } } }

/** Its first step waits for a callback, its second answers, its third waits again. */
const mixed = (more: Parameters<typeof pipeline>[0] = {}) =>
  pipeline({
    steps: [step('load', waiting), step('train'), step('report', waiting)],
    max_attempts: 1,
    ...more,
  })

const trigger = async (settings = mixed()) => (await triggerJob(desk.ctx, await desk.job(settings))).id

function report(attempt: BegunAttempt | undefined, result: string, description?: string): Promise<void> {
  const id = attempt?.attempt_id ?? ''
  const { token } = callbackToken(desk.services.encryption, id)
  return recordCallback(desk.services, id, { token }, { result, description: description ?? null })
}

/** Begins what can begin and answers it; @returns what has begun */
async function answered(): Promise<BegunAttempt | undefined> {
  const begun = await worker.take()
  await worker.finish(begun)
  return begun[0]
}

test('a callback step hands over when its callback comes, a sync step on its response', async () => {
  const id = await trigger()
  const load = await answered()
  expect(stepStates(await shown(desk, id))).toEqual(['load running 1', 'train pending 0', 'report pending 0'])
  expect(await worker.take()).toEqual([])
  desk.advance(30_000)
  await report(load, 'DONE', '1204 rows')
  expect(stepNumber((await answered()) as BegunAttempt)).toBe('train#1')
  const last = await answered()
  expect((await shown(desk, id)).state).toBe('running')
  await report(last, 'OK')
  const run = await shown(desk, id)
  expect(run.state).toBe('succeeded')
  expect(run.steps).toMatchObject([
    { state: 'succeeded', result: 'DONE', description: '1204 rows' },
    { state: 'succeeded', result: null, description: null },
    { state: 'succeeded', result: 'OK', description: null },
  ])
})

test('only steps that ask for a callback have a token', async () => {
  await trigger()
  const load = await answered()
  await report(load, 'OK')
  const train = await answered()
  await expect(report(train, 'OK')).rejects.toMatchObject({ code: 'not_found' })
})

test('a callback before the response decides the step; the response changes nothing more', async () => {
  const id = await trigger()
  const load = await worker.take()
  await report(load[0], 'OK')
  expect(await worker.finish(load)).toEqual(load.map(a => a.attempt_id))
  expect(stepStates(await shown(desk, id)).slice(0, 2)).toEqual(['load succeeded 1', 'train pending 0'])
  expect((await worker.take()).map(stepNumber)).toEqual(['train#1'])
})

test('a callback that fails its step has it tried again, and then stops the run', async () => {
  const id = await trigger(mixed({ max_attempts: 2 }))
  await report(await answered(), 'error', 'no disk')
  const again = await answered()
  expect(again && stepNumber(again)).toBe('load#2')
  await report(again, 'CANCELLED')
  const run = await shown(desk, id)
  expect(run).toMatchObject({
    state: 'failed',
    error: { class: 'callback_failed', message: 'Step load: The callback said CANCELLED.' },
  })
  expect(run.steps[0]).toMatchObject({
    state: 'failed',
    result: 'CANCELLED',
    error: { class: 'callback_failed' },
  })
  expect(stepStates(run).slice(1)).toEqual(['train not_run 0', 'report not_run 0'])
})

test('a wait that runs out stops the run at its step; a late callback is kept and resumes nothing', async () => {
  const id = await trigger()
  const load = await answered()
  desk.advance(60_000)
  expect(await expireWaits(desk.services, 10)).toBe(1)
  const failed = await shown(desk, id)
  expect(failed).toMatchObject({ state: 'failed', error: { class: 'callback_timeout' } })
  expect(failed.error?.message).toMatch(/^Step load: No callback came/)
  expect(stepStates(failed)).toEqual(['load failed 1', 'train not_run 0', 'report not_run 0'])
  await report(load, 'OK')
  const late = await shown(desk, id)
  expect(late).toMatchObject({ state: 'failed', finished_out_of_time: true, late_result: { result: 'OK' } })
  expect(late.steps).toEqual(failed.steps)
  expect(late.attempts[0]?.late_result).toMatchObject({ result: 'OK' })
  expect(await worker.take()).toEqual([])
})

test('a late callback of a run that was put back is kept beside its attempt alone', async () => {
  const id = await trigger()
  const load = await answered()
  await report(load, 'OK')
  const [train] = await worker.take()
  await worker.finish(train ? [train] : [])
  const last = await answered()
  desk.advance(60_000)
  await expireWaits(desk.services, 10)
  await retryRun(desk.ctx, id)
  const first = await answered()
  expect(first && stepNumber(first)).toBe('load#2')
  await report(last, 'OK')
  const going = await shown(desk, id)
  expect(going).toMatchObject({ state: 'running', finished_out_of_time: false, late_result: null })
  expect(going.attempts.find(a => a.id === last?.attempt_id)?.late_result).toMatchObject({ result: 'OK' })
  expect(stepStates(going)).toEqual(['load running 2', 'train pending 1', 'report pending 1'])
})

test('of two attempts with the same number only the one of the step that failed makes the run late', async () => {
  const steps = [step('load', waiting), step('train', waiting)]
  const id = await trigger(mixed({ steps, max_attempts: 2 }))
  await report(await answered(), 'OK')
  await report(await answered(), 'ERROR')
  const train = await answered()
  desk.advance(60_000)
  await expireWaits(desk.services, 10)
  await retryRun(desk.ctx, id)
  const load = await answered()
  desk.advance(60_000)
  await expireWaits(desk.services, 10)
  expect([train, load].map(a => a && stepNumber(a))).toEqual(['train#2', 'load#2'])
  expect((await desk.run(id)).state).toBe('failed')
  await report(train, 'OK')
  expect(await shown(desk, id)).toMatchObject({ finished_out_of_time: false, late_result: null })
  await report(load, 'LATE')
  expect(await shown(desk, id)).toMatchObject({ finished_out_of_time: true, late_result: { result: 'LATE' } })
})

test('the wait counts from the 2xx, not from the beginning of the call', async () => {
  const id = await trigger()
  const begun = await worker.take()
  desk.advance(10_000)
  await worker.finish(begun)
  expect((await desk.run(id)).next_attempt_at).toEqual(new Date(desk.now().getTime() + 60_000))
  desk.advance(59_999)
  expect(await expireWaits(desk.services, 10)).toBe(0)
  desk.advance(1)
  expect(await expireWaits(desk.services, 10)).toBe(1)
  expect(await desk.run(id)).toMatchObject({ state: 'failed', error_class: 'callback_timeout' })
})

test('a retry of a run that ended out of time takes that and the late result back', async () => {
  const id = await trigger()
  const load = await answered()
  desk.advance(60_000)
  await expireWaits(desk.services, 10)
  await report(load, 'LATE')
  expect(await shown(desk, id)).toMatchObject({ finished_out_of_time: true, late_result: { result: 'LATE' } })
  await retryRun(desk.ctx, id)
  const again = await shown(desk, id)
  expect(again).toMatchObject({ state: 'pending', finished_out_of_time: false, late_result: null })
  // What came is still told at its attempt.
  expect(again.attempts[0]?.late_result).toMatchObject({ result: 'LATE' })
})

test('cancelling a run that waits for a step’s callback cancels that step', async () => {
  const id = await trigger()
  const load = await answered()
  await cancelRun(desk.ctx, id)
  await report(load, 'OK')
  const run = await shown(desk, id)
  expect(run).toMatchObject({ state: 'cancelled', finished_out_of_time: false })
  expect(stepStates(run)).toEqual(['load cancelled 1', 'train not_run 0', 'report not_run 0'])
  expect(await worker.take()).toEqual([])
})

test('secrets of every step are masked in what a callback says', async () => {
  const steps = [step('load', waiting), step('train', { headers: { 'X-Key': { secret: 'tok-of-train' } } })]
  const id = await trigger(mixed({ steps }))
  await report(await answered(), 'OK', 'with tok-of-train')
  expect((await shown(desk, id)).steps[0]).toMatchObject({ description: 'with ••••' })
})

test('twenty callbacks at once hand over once', async () => {
  const id = await trigger()
  const load = await answered()
  await Promise.all(Array.from({ length: 20 }, (_, i) => report(load, `OK ${i}`)))
  expect((await worker.take()).map(stepNumber)).toEqual(['train#1'])
  expect((await desk.run(id)).task_number).toBe(2)
})
