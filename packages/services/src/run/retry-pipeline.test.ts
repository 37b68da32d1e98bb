import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Desk, openDesk } from '../../test/job-desk.ts'
import { pipeline, shown, step, stepNumber, stepStates } from '../../test/pipelines.ts'
import { failing, OK, PretendWorker } from '../../test/pretend-worker.ts'
import { auditRows } from '../../test/tenants.ts'
import { patchJob } from '../job/patch-job.ts'
import { triggerJob } from '../job/trigger-job.ts'
import { backfillJob } from './backfill-job.ts'
import { cancelRun } from './cancel-run.ts'
import { retryRun } from './retry-run.ts'

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

const FROM_FAILED = { from_step: 'failed' } as const

/** A run that failed at its step `train`; each attempt begins a second after the one before. */
async function failedAtTrain(
  settings = pipeline({ max_attempts: 1 }),
): Promise<{ id: string; name: string }> {
  const name = await desk.job(settings)
  const { id } = await triggerJob(desk.ctx, name)
  await worker.finish(await worker.take())
  desk.advance(1_000)
  await worker.finish(await worker.take(), failing(404))
  desk.advance(1_000)
  return { id, name }
}

test('a retry starts from the first step with a fresh set of attempts; their numbers go on, earlier ones are kept', async () => {
  const { id } = await failedAtTrain()
  const run = await retryRun(desk.ctx, id)
  expect(run).toMatchObject({
    state: 'pending',
    error: null,
    started_at: null,
    finished_at: null,
    attempts_made: 2,
  })
  expect(stepStates(run)).toEqual(['load pending 1', 'train pending 1', 'report pending 0'])
  expect(run.steps[1]).toMatchObject({ started_at: null, finished_at: null, error: null })
  expect((await desk.run(id)).slot_host).toBe('load.example')
  expect((await worker.work()).map(stepNumber)).toEqual(['load#2', 'train#2', 'report#1'])
  const ended = await shown(desk, id)
  expect(ended).toMatchObject({ state: 'succeeded', attempts_made: 5 })
  expect(ended.attempts.map(a => `${a.step}#${a.number} ${a.state}`)).toEqual([
    'load#1 succeeded',
    'train#1 failed',
    'load#2 succeeded',
    'train#2 succeeded',
    'report#1 succeeded',
  ])
})

test('a retry from the failed step calls that one first; earlier steps keep their results', async () => {
  const { id } = await failedAtTrain()
  const before = await shown(desk, id)
  const run = await retryRun(desk.ctx, id, FROM_FAILED)
  expect(stepStates(run)).toEqual(['load succeeded 1', 'train pending 1', 'report pending 0'])
  expect(run.steps[0]).toEqual(before.steps[0])
  expect((await desk.run(id)).slot_host).toBe('train.example')
  expect((await worker.work()).map(stepNumber)).toEqual(['train#2', 'report#1'])
  expect((await shown(desk, id)).state).toBe('succeeded')
})

test('a cancelled step counts as the one to start from', async () => {
  const id = (await triggerJob(desk.ctx, await desk.job(pipeline()))).id
  await worker.finish(await worker.take())
  await worker.take()
  await cancelRun(desk.ctx, id)
  await retryRun(desk.ctx, id, FROM_FAILED)
  expect((await worker.work()).map(stepNumber)).toEqual(['train#2', 'report#1'])
})

test('max_attempts counts within the set that a retry begins', async () => {
  const { id } = await failedAtTrain(pipeline({ max_attempts: 2 }))
  await retryRun(desk.ctx, id, FROM_FAILED)
  expect((await worker.work(failing(500))).map(stepNumber)).toEqual(['train#2', 'train#3'])
})

test('a retried run goes on with the requests it was made with', async () => {
  const { id, name } = await failedAtTrain()
  await patchJob(desk.ctx, name, { steps: [step('other'), step('train', { url: 'https://new.example/' })] })
  await retryRun(desk.ctx, id, FROM_FAILED)
  expect(await worker.take()).toMatchObject([
    { step_id: 'train', request: { url: 'https://train.example/' } },
  ])
})

describe('from_step is refused', () => {
  const refused = (message: RegExp) => ({
    code: 'invalid_request',
    issues: [{ field: 'from_step', message: expect.stringMatching(message) }],
  })

  test('for a run that is no pipeline', async () => {
    const { id } = await triggerJob(desk.ctx, await desk.job())
    await worker.work(failing(404))
    await expect(retryRun(desk.ctx, id, FROM_FAILED)).rejects.toMatchObject(refused(/no pipeline/))
    expect((await desk.run(id)).state).toBe('failed')
  })

  test('for a pipeline whose steps have all succeeded, or were never come to', async () => {
    const name = await desk.job({ ...pipeline(), cron: '0 13 * * *' })
    const { id } = await triggerJob(desk.ctx, name)
    desk.at('2027-01-15T13:00:00Z')
    await desk.tick()
    await worker.work()
    await expect(retryRun(desk.ctx, id, FROM_FAILED)).rejects.toMatchObject(refused(/has failed/))
    const skipped = (await desk.runs(name)).find(run => run.state === 'skipped')?.id ?? ''
    await expect(retryRun(desk.ctx, skipped, FROM_FAILED)).rejects.toMatchObject(refused(/has failed/))
  })

  test('with 409 while the run is going', async () => {
    const { id } = await triggerJob(desk.ctx, await desk.job(pipeline()))
    await expect(retryRun(desk.ctx, id, FROM_FAILED)).rejects.toMatchObject({ code: 'run_not_finished' })
  })
})

test('the audit log tells where a pipeline was started again', async () => {
  const { id } = await failedAtTrain()
  await retryRun(desk.ctx, id, FROM_FAILED)
  const rows = await auditRows(desk.sql, desk.ctx.organizationId)
  expect(rows.filter(row => row.subject_id === id).at(-1)).toMatchObject({
    action: 'run.retry',
    after: { state: 'pending', from_step: 'failed' },
  })
})

test('a backfill runs new times of a pipeline whole, and puts failed runs back to their first step', async () => {
  const name = await desk.job({ ...pipeline({ max_attempts: 1 }), cron: '0 * * * *' })
  desk.at('2027-01-15T13:00:00Z')
  await desk.tick()
  await worker.work(attempt => (attempt.step_id === 'train' ? failing(404) : OK))
  desk.at('2027-01-15T13:30:00Z')
  await worker.renew()
  const range = { from: '2027-01-15T11:00:00Z', to: '2027-01-15T13:00:00Z' }
  expect(await backfillJob(desk.ctx, name, range)).toMatchObject({ created: 2, retried: 1 })
  const begun = await worker.work()
  expect(begun.map(stepNumber).sort()).toEqual([
    'load#1',
    'load#1',
    'load#2',
    'report#1',
    'report#1',
    'report#1',
    'train#1',
    'train#1',
    'train#2',
  ])
  expect((await desk.runs(name)).map(run => run.state)).toEqual(['succeeded', 'succeeded', 'succeeded'])
})

test('of two callers who retry from the failed step at once one wins, and the step is called once', async () => {
  for (let round = 0; round < 5; round++) {
    const { id } = await failedAtTrain()
    const both = await Promise.allSettled([
      retryRun(desk.ctx, id, FROM_FAILED),
      retryRun(desk.ctx, id, round % 2 === 0 ? FROM_FAILED : {}),
    ])
    const refused = both.filter(one => one.status === 'rejected')
    expect(refused).toMatchObject([{ reason: { code: 'run_not_finished' } }])
    const called = (await worker.work()).map(stepNumber)
    expect(called.filter(one => one.startsWith('train'))).toEqual(['train#2'])
    expect((await shown(desk, id)).state).toBe('succeeded')
  }
})

test('a retry runs the steps that the run was made with, though the job has fewer by now or is no pipeline', async () => {
  for (const edit of [
    { steps: [step('load'), step('other')] },
    { steps: null, url: 'https://single.example/' },
    { steps: null, image: { name: 'team/report', tag: '1' } },
  ]) {
    const { id, name } = await failedAtTrain()
    await patchJob(desk.ctx, name, edit)
    await retryRun(desk.ctx, id, FROM_FAILED)
    expect((await worker.work()).map(stepNumber)).toEqual(['train#2', 'report#1'])
    expect(await shown(desk, id)).toMatchObject({ state: 'succeeded', request: { kind: 'pipeline' } })
  }
})
