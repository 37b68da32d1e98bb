import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Desk, openDesk } from '../../test/job-desk.ts'
import { type Answer, broken, failing, OK, PretendWorker, tasksOf } from '../../test/pretend-worker.ts'
import { deleteJob } from '../job/delete-job.ts'
import { getJobCounts } from '../job/get-job-counts.ts'
import { patchJob } from '../job/patch-job.ts'
import { triggerJob } from '../job/trigger-job.ts'
import { cancelRun } from '../run/cancel-run.ts'
import { rescueRuns } from '../run/rescue-runs.ts'
import { retryRun } from '../run/retry-run.ts'
import { admitDue } from '../schedule/admit-due.ts'
import type { BegunAttempt } from './begin-attempts.ts'
import { finishAttempts } from './finish-attempts.ts'

let desk: Desk
let worker: PretendWorker
beforeAll(async () => {
  desk = await openDesk()
})
afterAll(() => desk?.drop())
beforeEach(async () => {
  await desk.clear()
  worker = await PretendWorker.start(desk.services)
})

/** Triggers a job and begins its run. */
async function begin(name: string): Promise<BegunAttempt> {
  await triggerJob(desk.ctx, name)
  return takeOne()
}

async function takeOne(): Promise<BegunAttempt> {
  const [begun, ...more] = await worker.take()
  if (!begun || more.length > 0) throw new Error(`${more.length + (begun ? 1 : 0)} attempts instead of one`)
  return begun
}

/** Answers an attempt; @returns the seconds until the next one, or the state in which the run ended. */
async function answer(begun: BegunAttempt, what: Answer): Promise<number | string> {
  expect(await worker.finish([begun], what)).toEqual([])
  const run = await desk.run(begun.run_id)
  if (run.state !== 'running') return run.state
  if (!run.next_attempt_at) throw new Error('a run in backoff does not say until when')
  // Due now, it has its slot already.
  if (run.slot_host === null) expect(run.due_at).toEqual(run.next_attempt_at)
  return (run.next_attempt_at.getTime() - desk.now().getTime()) / 1000
}

/** Moves the clock to the run's next attempt and begins it. */
async function nextAttempt(runId: string): Promise<BegunAttempt> {
  const { next_attempt_at: at } = await desk.run(runId)
  if (!at) throw new Error('the run has no next attempt')
  desk.advance(at.getTime() - 1 - desk.now().getTime())
  await admitDue(desk.services)
  expect(await tasksOf(desk.sql, runId)).toEqual([])
  desk.advance(1)
  await admitDue(desk.services)
  return takeOne()
}

test('a success ends the run, frees its slot and counts', async () => {
  const name = await desk.job()
  const begun = await begin(name)
  desk.advance(250)
  expect(await answer(begun, OK)).toBe('succeeded')
  expect(await desk.run(begun.run_id)).toMatchObject({
    finished_at: desk.now(),
    slot_host: null,
    next_attempt_at: null,
    error_class: null,
  })
  expect(await getJobCounts(desk.ctx, name)).toMatchObject({
    succeeded: 1,
    failed: 0,
    consecutive_failures: 0,
  })
  expect(await tasksOf(desk.sql, begun.run_id)).toEqual([])
})

test('a failing target is called max_attempts times, each wait twice the one before, up to max_backoff_seconds', async () => {
  const name = await desk.job({ max_attempts: 6, min_backoff_seconds: 5, max_backoff_seconds: 30 })
  let begun = await begin(name)
  const waits: (number | string)[] = [await answer(begun, failing(500))]
  while (typeof waits.at(-1) === 'number') {
    begun = await nextAttempt(begun.run_id)
    waits.push(await answer(begun, failing(500)))
  }
  expect(waits).toEqual([5, 10, 20, 30, 30, 'failed'])
  expect((await desk.attempts(begun.run_id)).map(a => [a.number, a.state, a.next_attempt_reason])).toEqual([
    [1, 'failed', 'Backoff after attempt 1 of 6.'],
    [2, 'failed', 'Backoff after attempt 2 of 6.'],
    [3, 'failed', 'Backoff after attempt 3 of 6.'],
    [4, 'failed', 'Backoff after attempt 4 of 6.'],
    [5, 'failed', 'Backoff after attempt 5 of 6.'],
    [6, 'failed', null],
  ])
  expect(await desk.run(begun.run_id)).toMatchObject({ error_class: 'http_status', attempts_made: 6 })
})

test('a wait of no time goes on at once', async () => {
  const begun = await begin(await desk.job({ min_backoff_seconds: 0 }))
  expect(await answer(begun, failing(500))).toBe(0)
  // No tick is needed: the finish itself admits it.
  expect((await takeOne()).number).toBe(2)
})

describe('which failures are retried', () => {
  const RETRIED = ['dns', 'connect', 'tls', 'timeout', 'reset', 'protocol', 'evicted', 'image_pull'] as const
  const ALSO_RETRIED = ['container_exit', 'callback_failed'] as const
  const NEVER = [
    'blocked',
    'callback_timeout',
    'container_config',
    'cancelled',
    'response_too_large',
  ] as const

  test.each([...RETRIED, ...ALSO_RETRIED])('%s is', async cls => {
    expect(await answer(await begin(await desk.job()), broken(cls))).toBe(5)
  })
  test.each(NEVER)('%s is not', async cls => {
    expect(await answer(await begin(await desk.job({ max_attempts: 50 })), broken(cls))).toBe('failed')
  })
  test.each([500, 502, 503, 599, 408, 429])('a status of %d is', async status => {
    expect(await answer(await begin(await desk.job()), failing(status))).toBe(5)
  })
  test.each([301, 302, 304, 307, 308])('a status of %d is not, whatever the settings', async status => {
    const name = await desk.job({ retry_on_4xx: true })
    expect(await answer(await begin(name), failing(status))).toBe('failed')
  })
  test.each([400, 401, 404, 409, 422, 451])('a status of %d is with retry_on_4xx alone', async status => {
    expect(await answer(await begin(await desk.job()), failing(status))).toBe('failed')
    await worker.work()
    expect(await answer(await begin(await desk.job({ retry_on_4xx: true })), failing(status))).toBe(5)
  })
})

describe('Retry-After', () => {
  const settings = { min_backoff_seconds: 5, max_backoff_seconds: 60 }
  test.each([
    [429, 30, 30],
    [503, 30, 30],
    [429, 1, 5],
    [429, 3_600, 60],
    [500, 30, 5],
    [408, 30, 5],
  ])('on a %d that asks for %d s the wait is %d s', async (status, asked, waited) => {
    const begun = await begin(await desk.job(settings))
    expect(await answer(begun, failing(status, { retryAfterMs: asked * 1000 }))).toBe(waited)
    const [attempt] = await desk.attempts(begun.run_id)
    expect(attempt?.next_attempt_reason).toMatch(waited > 5 ? /Retry-After/ : /Backoff/)
  })

  test('asks for nothing once the attempts are used up', async () => {
    const begun = await begin(await desk.job({ ...settings, max_attempts: 1 }))
    expect(await answer(begun, failing(429, { retryAfterMs: 10_000 }))).toBe('failed')
  })
})

describe('retry settings are those the job has now', () => {
  test('an attempt that fails after an edit follows the edited settings', async () => {
    const name = await desk.job({ max_attempts: 2, min_backoff_seconds: 5 })
    const begun = await begin(name)
    await patchJob(desk.ctx, name, { max_attempts: 4, min_backoff_seconds: 60 })
    expect(await answer(begun, failing(500))).toBe(60)
    const second = await nextAttempt(begun.run_id)
    expect(await answer(second, failing(500))).toBe(120)
    await patchJob(desk.ctx, name, { max_attempts: 3 })
    expect(await answer(await nextAttempt(begun.run_id), failing(500))).toBe('failed')
  })

  test('retries taken away during a backoff still leave the attempt that is due', async () => {
    const name = await desk.job({ max_attempts: 5 })
    const begun = await begin(name)
    await answer(begun, failing(500))
    await patchJob(desk.ctx, name, { max_attempts: 1 })
    expect(await answer(await nextAttempt(begun.run_id), failing(500))).toBe('failed')
  })

  test('a changed request does not touch a run that exists, whose attempts all send the same', async () => {
    const name = await desk.job({ body: 'one' })
    const begun = await begin(name)
    await answer(begun, failing(500))
    await patchJob(desk.ctx, name, { body: 'two', url: 'https://elsewhere.example/' })
    const second = await nextAttempt(begun.run_id)
    expect(second.request).toEqual(begun.request)
    await answer(second, OK)
    expect((await begin(name)).request).toMatchObject({ body: 'two', url: 'https://elsewhere.example/' })
  })
})

test('after a retry by hand attempts and backoff count anew, and numbers go on', async () => {
  const name = await desk.job({ max_attempts: 2, min_backoff_seconds: 5 })
  const begun = await begin(name)
  const waits = [
    await answer(begun, failing(500)),
    await answer(await nextAttempt(begun.run_id), failing(500)),
  ]
  expect(waits).toEqual([5, 'failed'])
  await retryRun(desk.ctx, begun.run_id)
  const third = await takeOne()
  expect(third.number).toBe(3)
  expect(await answer(third, failing(500))).toBe(5)
  const fourth = await nextAttempt(begun.run_id)
  expect(fourth.number).toBe(4)
  expect(await answer(fourth, failing(500))).toBe('failed')
  expect((await desk.attempts(begun.run_id)).map(a => a.number)).toEqual([1, 2, 3, 4])
})

describe('a result whose fence is no longer held is refused, and kept beside its attempt', () => {
  async function late(begun: BegunAttempt): Promise<void> {
    const before = await desk.run(begun.run_id)
    expect(await worker.finish([begun], OK)).toEqual([begun.attempt_id])
    expect(await desk.run(begun.run_id)).toEqual(before)
    const attempt = (await desk.attempts(begun.run_id)).find(a => a.id === begun.attempt_id)
    expect(attempt?.late_result).toMatchObject({ class: 'ok', status: 200 })
    expect(attempt?.response_status).toBeNull()
  }

  test('after its worker was taken for dead', async () => {
    const begun = await begin(await desk.job())
    desk.advance(20_000)
    await rescueRuns(desk.services, true)
    await late(begun)
    const second = await PretendWorker.start(desk.services)
    const [again] = await second.take()
    expect(again).toMatchObject({ run_id: begun.run_id, number: 2 })
    await late(begun)
    expect(await second.finish(again ? [again] : [])).toEqual([])
    expect((await desk.run(begun.run_id)).state).toBe('succeeded')
  })

  test('after its run was cancelled', async () => {
    const begun = await begin(await desk.job())
    await cancelRun(desk.ctx, begun.run_id)
    await late(begun)
  })

  test('after its job was deleted', async () => {
    const name = await desk.job()
    const begun = await begin(name)
    await deleteJob(desk.ctx, name)
    await late(begun)
  })

  test('while the next attempt is under way, which goes on', async () => {
    const begun = await begin(await desk.job())
    await cancelRun(desk.ctx, begun.run_id)
    await retryRun(desk.ctx, begun.run_id)
    const second = await takeOne()
    await late(begun)
    expect(await answer(second, OK)).toBe('succeeded')
  })

  test('the first late result is kept when another comes', async () => {
    const begun = await begin(await desk.job())
    await cancelRun(desk.ctx, begun.run_id)
    await worker.finish([begun], failing(503))
    await worker.finish([begun], OK)
    const [attempt] = await desk.attempts(begun.run_id)
    expect(attempt?.late_result).toMatchObject({ class: 'http_status', status: 503 })
  })
})

test('a result under another fence changes nothing', async () => {
  const begun = await begin(await desk.job())
  const forged = worker.finished({ ...begun, fence: begun.fence + 1 })
  expect(await finishAttempts(desk.services, [forged], desk.now())).toEqual([begun.attempt_id])
  expect(await desk.attempts(begun.run_id)).toMatchObject([{ state: 'running', late_result: null }])
  expect(await answer(begun, OK)).toBe('succeeded')
})

test('a result that is written twice counts once', async () => {
  const name = await desk.job()
  const begun = await begin(name)
  const call = worker.finished(begun)
  expect(await finishAttempts(desk.services, [call, call], desk.now())).toEqual([begun.attempt_id])
  expect(await finishAttempts(desk.services, [call], desk.now())).toEqual([begun.attempt_id])
  expect(await getJobCounts(desk.ctx, name)).toMatchObject({ succeeded: 1 })
  expect(await desk.attempts(begun.run_id)).toMatchObject([{ state: 'succeeded', late_result: null }])
  expect((await desk.run(begun.run_id)).attempts_counted).toBe(1)
})

test('a batch writes each result to its own run, and the job counts failures since the last success', async () => {
  const name = await desk.job({ overlap: 'allow', max_attempts: 1 })
  const other = await desk.job({ overlap: 'allow' })
  for (const each of [name, name, name, name, other]) await triggerJob(desk.ctx, each)
  const begun = await worker.take()
  const answers = [failing(500), OK, failing(404), failing(500), failing(500)]
  const calls = begun.map((b, i) => worker.finished(b, answers[i]))
  expect(await finishAttempts(desk.services, calls, desk.now())).toEqual([])
  const states = await Promise.all(begun.map(async b => (await desk.run(b.run_id)).state))
  expect(states).toEqual(['failed', 'succeeded', 'failed', 'failed', 'running'])
  expect(await getJobCounts(desk.ctx, name)).toMatchObject({
    succeeded: 1,
    failed: 3,
    consecutive_failures: 2,
  })
  await worker.finish([await begin(name)], failing(404))
  expect(await getJobCounts(desk.ctx, name)).toMatchObject({ failed: 4, consecutive_failures: 3 })
  await worker.finish([await begin(name)], OK)
  expect(await getJobCounts(desk.ctx, name)).toMatchObject({ succeeded: 2, consecutive_failures: 0 })
})

test('results of one job that are written by two workers at once are all counted', async () => {
  const name = await desk.job({ overlap: 'allow' })
  for (let i = 0; i < 20; i++) await triggerJob(desk.ctx, name)
  const begun = await worker.take()
  await Promise.all(begun.map((b, i) => worker.finish([b], i % 2 === 0 ? OK : failing(404))))
  expect(await getJobCounts(desk.ctx, name)).toMatchObject({ succeeded: 10, failed: 10 })
})
