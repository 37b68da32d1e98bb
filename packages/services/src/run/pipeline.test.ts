import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Desk, openDesk } from '../../test/job-desk.ts'
import { pipeline, shown, step, stepNumber, stepStates } from '../../test/pipelines.ts'
import { broken, failing, OK, PretendWorker } from '../../test/pretend-worker.ts'
import { finishAttempts } from '../attempt/finish-attempts.ts'
import { deleteJob } from '../job/delete-job.ts'
import { getJobCounts } from '../job/get-job-counts.ts'
import { patchJob } from '../job/patch-job.ts'
import { triggerJob } from '../job/trigger-job.ts'
import { cancelRun } from './cancel-run.ts'
import { listRuns } from './list-runs.ts'
import { rescueRuns } from './rescue-runs.ts'
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

async function trigger(settings = pipeline()): Promise<string> {
  return (await triggerJob(desk.ctx, await desk.job(settings))).id
}

/** Fails what is of the given step, and nothing else. */
const failingAt =
  (id: string, answer = failing(404)) =>
  (attempt: { step_id: string | null }) =>
    attempt.step_id === id ? answer : OK

test('steps run in order, each with its own request, and the last success ends the run', async () => {
  const id = await trigger()
  expect(stepStates(await shown(desk, id))).toEqual(['load pending 0', 'train pending 0', 'report pending 0'])
  const [load] = await worker.take()
  expect(load).toMatchObject({
    step_id: 'load',
    number: 1,
    request: { kind: 'http', url: 'https://load.example/' },
  })
  expect(stepStates(await shown(desk, id))).toEqual(['load running 1', 'train pending 0', 'report pending 0'])
  desk.advance(1_000)
  await worker.finish(load ? [load] : [])
  const between = await shown(desk, id)
  expect(between).toMatchObject({
    state: 'running',
    error: null,
    next_attempt_at: desk.now().toISOString().replace('.000', ''),
  })
  expect(stepStates(between)).toEqual(['load succeeded 1', 'train pending 0', 'report pending 0'])
  expect((await worker.work()).map(stepNumber)).toEqual(['train#1', 'report#1'])
  const ended = await shown(desk, id)
  expect(ended.state).toBe('succeeded')
  expect(stepStates(ended)).toEqual(['load succeeded 1', 'train succeeded 1', 'report succeeded 1'])
  expect(ended.attempts.map(a => [a.step, a.number, a.state])).toEqual([
    ['load', 1, 'succeeded'],
    ['train', 1, 'succeeded'],
    ['report', 1, 'succeeded'],
  ])
  expect(ended.attempts_made).toBe(3)
  expect(ended.steps[0]).toMatchObject({
    started_at: '2027-01-15T12:00:00Z',
    finished_at: '2027-01-15T12:00:01Z',
    error: null,
  })
})

test('a finished step hands over in its own transaction: the next one has its slot and task at once, on its own host', async () => {
  const id = await trigger()
  await worker.finish(await worker.take())
  expect(await desk.run(id)).toMatchObject({ state: 'running', slot_host: 'train.example', due_at: null })
  expect(await worker.fetch()).toMatchObject([{ runId: id }])
})

test('a run counts once for its job, however many steps it has, and its start delay is counted once', async () => {
  const count = async () => {
    const [row] = await desk.sql<{ attempts: number; runs: number; started: number }[]>`
      select coalesce(sum(value) filter (where (metric, label) = ('attempts', 'ok')), 0)::int as attempts,
        coalesce(sum(value) filter (where (metric, label) = ('runs', 'succeeded')), 0)::int as runs,
        coalesce(sum(value) filter (where metric = 'start_delay'), 0)::int as started
      from counters where project_id = ${desk.ctx.projectId}`
    return row ?? { attempts: 0, runs: 0, started: 0 }
  }
  const before = await count()
  const name = await desk.job(pipeline())
  await triggerJob(desk.ctx, name)
  await worker.work()
  expect(await getJobCounts(desk.ctx, name)).toMatchObject({ succeeded: 1, failed: 0 })
  expect(await count()).toEqual({
    attempts: before.attempts + 3,
    runs: before.runs + 1,
    started: before.started + 1,
  })
})

test('the bound of a host counts the step that runs: the next step of a full host waits without a task', async () => {
  const { limits } = desk.services
  desk.services.limits = { ...limits, host_calls_in_flight: 1 }
  try {
    const [first, second] = [await trigger(), await trigger()]
    await desk.job({ url: 'https://train.example/' }, 'blocker')
    const blocker = await triggerJob(desk.ctx, 'blocker')
    const begun = await worker.take()
    const load = begun.find(b => b.run_id === first)
    expect(begun.map(b => b.run_id)).not.toContain(second)
    await worker.finish(load ? [load] : [])
    expect(await desk.run(first)).toMatchObject({ state: 'running', slot_host: null, due_at: desk.now() })
    expect((await worker.take()).map(b => [b.run_id, b.step_id])).toEqual([[second, 'load']])
    await worker.finish(begun.filter(b => b.run_id === blocker.id))
    expect((await worker.take()).map(b => [b.run_id, b.step_id])).toEqual([[first, 'train']])
  } finally {
    desk.services.limits = limits
  }
})

describe('a step that fails', () => {
  test('is tried again as its job says, and the earlier steps are not called again', async () => {
    const id = await trigger(pipeline({ max_attempts: 3 }))
    let fails = 2
    const begun = await worker.work(attempt =>
      attempt.step_id === 'train' && fails-- > 0 ? failing(500) : OK,
    )
    expect(begun.map(stepNumber)).toEqual(['load#1', 'train#1', 'train#2', 'train#3', 'report#1'])
    expect(await shown(desk, id)).toMatchObject({ state: 'succeeded', attempts_made: 5, error: null })
  })

  test('for good stops the run, which records the step and why; the rest are not run', async () => {
    const name = await desk.job(pipeline({ max_attempts: 2 }))
    const { id } = await triggerJob(desk.ctx, name)
    const answer = failing(500, { message: 'out of memory' })
    expect((await worker.work(failingAt('train', answer))).map(stepNumber)).toEqual([
      'load#1',
      'train#1',
      'train#2',
    ])
    const run = await shown(desk, id)
    expect(run).toMatchObject({
      state: 'failed',
      error: { class: 'http_status', message: 'Step train: out of memory' },
    })
    expect(stepStates(run)).toEqual(['load succeeded 1', 'train failed 2', 'report not_run 0'])
    expect(run.steps[1]).toMatchObject({
      error: { class: 'http_status', message: 'out of memory' },
      finished_at: run.finished_at,
    })
    expect(run.steps[2]).toMatchObject({ started_at: null, finished_at: null, error: null })
    expect((await listRuns(desk.ctx, { job: name })).data).toMatchObject([
      { attempts_made: 3, error: run.error },
    ])
    expect(await getJobCounts(desk.ctx, name)).toMatchObject({ failed: 1, succeeded: 0 })
  })

  test('keeps the attempts of the step before it apart: max_attempts and the backoff count within the step', async () => {
    const id = await trigger(pipeline({ max_attempts: 2, min_backoff_seconds: 10, max_backoff_seconds: 600 }))
    await worker.finish(await worker.take(), failing(503))
    desk.advance(10_000)
    await worker.renew()
    await desk.tick()
    await rescueRuns(desk.services, false)
    await worker.finish(await worker.take())
    await worker.finish(await worker.take(), failing(503))
    const run = await shown(desk, id)
    expect(stepStates(run)).toEqual(['load succeeded 2', 'train running 1', 'report pending 0'])
    expect(run.steps[0]).toMatchObject({
      started_at: '2027-01-15T12:00:00Z',
      finished_at: '2027-01-15T12:00:10Z',
    })
    expect(run.attempts.at(-1)).toMatchObject({
      next_attempt_at: '2027-01-15T12:00:20Z',
      next_attempt_reason: 'Backoff after attempt 1 of 2.',
    })
  })
})

describe('retry settings', () => {
  test('of a step stand before those of its job', async () => {
    const steps = [step('load', { max_attempts: 3 }), step('train', { max_attempts: 1, retry_on_4xx: true })]
    const id = await trigger(pipeline({ steps, max_attempts: 2 }))
    let fails = 2
    const begun = await worker.work(attempt => {
      if (attempt.step_id === 'train') return failing(500)
      return fails-- > 0 ? failing(500) : OK
    })
    expect(begun.map(stepNumber)).toEqual(['load#1', 'load#2', 'load#3', 'train#1'])
    expect((await shown(desk, id)).state).toBe('failed')
  })

  test('are those the job and its step have now, while the run goes on with the requests it was made with', async () => {
    const name = await desk.job(
      pipeline({ steps: [step('load', { max_attempts: 1 }), step('train')], max_attempts: 1 }),
    )
    await triggerJob(desk.ctx, name)
    const [load] = await worker.take()
    await patchJob(desk.ctx, name, {
      steps: [step('new'), step('load', { max_attempts: 2, url: 'https://other.example/' })],
    })
    await worker.finish(load ? [load] : [], failing(500))
    const [again] = await worker.take()
    expect(again).toMatchObject({ step_id: 'load', number: 2, request: { url: 'https://load.example/' } })
  })

  test('of a step that the job no longer has, or a job that is no pipeline any more, are the job’s', async () => {
    const steps = [step('load', { max_attempts: 5 }), step('train')]
    const name = await desk.job(pipeline({ steps, max_attempts: 5 }))
    const { id } = await triggerJob(desk.ctx, name)
    const [load] = await worker.take()
    await patchJob(desk.ctx, name, { steps: [step('a', { max_attempts: 5 }), step('b')], max_attempts: 1 })
    await worker.finish(load ? [load] : [], failing(500))
    expect((await desk.run(id)).state).toBe('failed')
    await retryRun(desk.ctx, id)
    const [second] = await worker.take()
    await patchJob(desk.ctx, name, { url: 'https://target.example/', max_attempts: 2 })
    await worker.finish(second ? [second] : [], failing(500))
    expect((await worker.take()).map(stepNumber)).toEqual(['load#3'])
  })
})

describe('a run that ends early', () => {
  test('cancelled while a step is called: that step is cancelled, the rest are not run, a late result is refused', async () => {
    const id = await trigger()
    await worker.finish(await worker.take())
    const train = await worker.take()
    await cancelRun(desk.ctx, id)
    expect(await worker.finish(train)).toEqual(train.map(a => a.attempt_id))
    const run = await shown(desk, id)
    expect(run).toMatchObject({
      state: 'cancelled',
      error: { class: 'cancelled', message: 'Cancelled by owner.' },
    })
    expect(stepStates(run)).toEqual(['load succeeded 1', 'train cancelled 1', 'report not_run 0'])
    expect(await worker.work()).toEqual([])
  })

  test('cancelled between two steps, before any, or deleted: what it was about to do is cancelled', async () => {
    const between = await trigger()
    await worker.finish(await worker.take())
    await cancelRun(desk.ctx, between)
    expect(stepStates(await shown(desk, between))).toEqual([
      'load succeeded 1',
      'train cancelled 0',
      'report not_run 0',
    ])
    const before = await trigger()
    await cancelRun(desk.ctx, before)
    expect(stepStates(await shown(desk, before))).toEqual([
      'load cancelled 0',
      'train not_run 0',
      'report not_run 0',
    ])
    const name = await desk.job(pipeline())
    const deleted = (await triggerJob(desk.ctx, name)).id
    await deleteJob(desk.ctx, name)
    expect(await desk.sql`select state from steps where run_id = ${deleted} order by position`).toMatchObject(
      [{ state: 'cancelled' }, { state: 'not_run' }, { state: 'not_run' }],
    )
  })

  test('skipped or superseded: its steps are not run, until it is retried', async () => {
    const name = await desk.job({ ...pipeline(), cron: '0 13 * * *' })
    await triggerJob(desk.ctx, name)
    desk.at('2027-01-15T13:00:00Z')
    await desk.tick()
    const skipped = (await desk.runs(name)).at(-1)?.id ?? ''
    expect(await shown(desk, skipped)).toMatchObject({ state: 'skipped', skip_reason: 'overlap' })
    expect(stepStates(await shown(desk, skipped))).toEqual([
      'load not_run 0',
      'train not_run 0',
      'report not_run 0',
    ])
    await worker.work()
    await retryRun(desk.ctx, skipped)
    expect((await worker.work()).map(stepNumber)).toEqual(['load#1', 'train#1', 'report#1'])
    const queue = await desk.job({ ...pipeline(), interval_minutes: 1, overlap: 'queue' })
    for (let i = 0; i < 3; i++) {
      desk.advance(60_000)
      await desk.tick()
    }
    const [, superseded, latest] = await desk.runs(queue)
    expect(stepStates(await shown(desk, superseded?.id ?? ''))).toEqual([
      'load not_run 0',
      'train not_run 0',
      'report not_run 0',
    ])
    expect(stepStates(await shown(desk, latest?.id ?? ''))[0]).toBe('load pending 0')
  })
})

describe('a worker that dies', () => {
  const die = async () => {
    desk.advance(15_001)
    await rescueRuns(desk.services, true)
    worker = await PretendWorker.start(desk.services)
  }

  test('in the middle of a step: the step is called again, the ones before it are not', async () => {
    const id = await trigger(pipeline({ max_attempts: 1 }))
    await worker.finish(await worker.take())
    await worker.take()
    await die()
    expect((await worker.work()).map(stepNumber)).toEqual(['train#2', 'report#1'])
    const run = await shown(desk, id)
    expect(run.state).toBe('succeeded')
    expect(run.attempts.map(a => [a.step, a.number, a.state])).toEqual([
      ['load', 1, 'succeeded'],
      ['train', 1, 'lost'],
      ['train', 2, 'succeeded'],
      ['report', 1, 'succeeded'],
    ])
  })

  test('between two steps: the run goes on with the next one', async () => {
    const id = await trigger()
    await worker.finish(await worker.take())
    await worker.fetch()
    await die()
    desk.advance(10_001)
    await worker.renew()
    await rescueRuns(desk.services, true)
    expect((await worker.work()).map(stepNumber)).toEqual(['train#1', 'report#1'])
    expect((await shown(desk, id)).state).toBe('succeeded')
  })

  test('three times in a row at a step fails it and the run; a step that is done starts the count anew', async () => {
    const id = await trigger()
    for (let i = 0; i < 2; i++) {
      await worker.take()
      await die()
    }
    await worker.finish(await worker.take())
    for (let i = 0; i < 3; i++) {
      expect((await shown(desk, id)).state).toBe('running')
      await worker.take()
      await die()
    }
    const run = await shown(desk, id)
    expect(run).toMatchObject({ state: 'failed', error: { class: 'lost' } })
    expect(run.error?.message).toMatch(/^Step train: The worker that made this call died/)
    expect(stepStates(run)).toEqual(['load succeeded 3', 'train failed 3', 'report not_run 0'])
    expect(run.steps[1]?.error).toMatchObject({ class: 'lost' })
    expect(await worker.work()).toEqual([])
  })

  test('by a stop: the step is called again at once by another', async () => {
    const id = await trigger(pipeline({ max_attempts: 1 }))
    await worker.finish(await worker.take())
    await worker.take()
    await worker.stop()
    worker = await PretendWorker.start(desk.services)
    expect((await worker.work()).map(stepNumber)).toEqual(['train#2', 'report#1'])
    expect((await shown(desk, id)).state).toBe('succeeded')
  })
})

describe('of a pipeline that runs one at a time', () => {
  test('the next run starts when the last step ends, not between steps', async () => {
    const name = await desk.job(pipeline({ overlap: 'queue' }))
    const first = await triggerJob(desk.ctx, name)
    const second = await triggerJob(desk.ctx, name)
    for (const id of ['load', 'train', 'report']) {
      const begun = await worker.take()
      expect(begun.map(b => [b.run_id, b.step_id])).toEqual([[first.id, id]])
      await worker.finish(begun)
    }
    expect((await worker.take()).map(b => [b.run_id, b.step_id])).toEqual([[second.id, 'load']])
  })
})

test('a batch may end steps of many runs in different ways', async () => {
  const ids = [await trigger(), await trigger(), await trigger(pipeline({ max_attempts: 1 }))]
  await desk.job({}, 'plain')
  const plain = (await triggerJob(desk.ctx, 'plain')).id
  const begun = await worker.take()
  const answers = new Map([
    [ids[0], OK],
    [ids[1], broken('timeout')],
    [ids[2], failing(500)],
    [plain, OK],
  ])
  await finishAttempts(
    desk.services,
    begun.map(b => worker.finished(b, answers.get(b.run_id))),
    desk.now(),
  )
  const states = await Promise.all(ids.map(async id => stepStates(await shown(desk, id))))
  expect(states.map(s => s.slice(0, 2))).toEqual([
    ['load succeeded 1', 'train pending 0'],
    ['load running 1', 'train pending 0'],
    ['load failed 1', 'train not_run 0'],
  ])
  expect((await desk.run(plain)).state).toBe('succeeded')
})
