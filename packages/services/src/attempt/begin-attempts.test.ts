import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type Desk, openDesk } from '../../test/job-desk.ts'
import { PretendWorker, tasksOf, untilBlocked } from '../../test/pretend-worker.ts'
import { deleteJob } from '../job/delete-job.ts'
import { patchJob } from '../job/patch-job.ts'
import { triggerJob } from '../job/trigger-job.ts'
import { cancelRun } from '../run/cancel-run.ts'
import { rescueRuns } from '../run/rescue-runs.ts'
import { retryRun } from '../run/retry-run.ts'

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

test('begin commits the attempt and says everything that the call needs', async () => {
  const name = await desk.job({ payload: { kind: 'daily' } })
  const run = await triggerJob(desk.ctx, name)
  desk.advance(7)
  const [begun] = await worker.take()
  expect(begun).toMatchObject({
    run_id: run.id,
    number: 1,
    task_number: 1,
    job_name: name,
    project_id: desk.ctx.projectId,
    organization_id: desk.ctx.organizationId,
    request: { url: 'https://target.example/', payload: '{"kind":"daily"}' },
  })
  expect(begun?.scheduled_for.toISOString()).toBe(new Date(run.scheduled_for).toISOString())
  expect(await desk.attempts(run.id)).toMatchObject([
    { id: begun?.attempt_id, number: 1, state: 'running', worker_id: worker.id, fence: begun?.fence },
  ])
  expect(await desk.run(run.id)).toMatchObject({ state: 'running', started_at: desk.now(), attempts_made: 1 })
})

test('of two begins at once of one task one begins', async () => {
  const other = await PretendWorker.start(desk.services)
  const run = await triggerJob(desk.ctx, await desk.job())
  const tasks = await worker.fetch()
  const both = await desk.sql.begin(async sql => {
    await sql`select id from runs where id = ${run.id} for update`
    const beginning = Promise.all([worker.begin(tasks), other.begin(tasks)])
    await untilBlocked(desk.sql, 2)
    return { beginning }
  })
  const begun = await both.beginning
  expect(begun.flat()).toHaveLength(1)
  expect(await desk.attempts(run.id)).toHaveLength(1)
})

test('a task that stands twice in a batch begins one attempt', async () => {
  const run = await triggerJob(desk.ctx, await desk.job())
  const [task] = await worker.fetch()
  const old = { runId: run.id, taskNumber: 0 }
  expect(await worker.begin(task ? [old, task, task] : [])).toHaveLength(1)
  expect(await desk.attempts(run.id)).toHaveLength(1)
})

test.each<[string, (runId: string, name: string) => Promise<unknown>]>([
  ['a cancelled run', id => cancelRun(desk.ctx, id)],
  ['a run of a deleted job', (_, name) => deleteJob(desk.ctx, name)],
  [
    'an old task, whose run has a newer one',
    async id => {
      await cancelRun(desk.ctx, id)
      await retryRun(desk.ctx, id)
    },
  ],
  [
    'a run that was sent back to wait for its turn',
    async (_, name) => {
      await triggerJob(desk.ctx, name)
      // Nothing has begun, so the first keeps its turn, under a new task.
      await patchJob(desk.ctx, name, { overlap: 'queue' })
    },
  ],
])('%s begins nothing', async (_, meanwhile) => {
  const name = await desk.job({ overlap: 'allow' })
  const run = await triggerJob(desk.ctx, name)
  const tasks = await worker.fetch()
  await meanwhile(run.id, name)
  expect(await worker.begin(tasks)).toEqual([])
  expect(await desk.attempts(run.id)).toEqual([])
})

test('a worker whose lease has run out begins nothing, and begins again once it has renewed it', async () => {
  const run = await triggerJob(desk.ctx, await desk.job())
  const tasks = await worker.fetch()
  desk.advance(15_000)
  expect(await worker.begin(tasks)).toEqual([])
  expect(await worker.renew()).toBe(true)
  expect((await worker.begin(tasks)).map(b => b.run_id)).toEqual([run.id])
})

test('a worker that was buried or has stopped begins nothing and renews nothing', async () => {
  await triggerJob(desk.ctx, await desk.job())
  const tasks = await worker.fetch()
  desk.advance(20_000)
  await rescueRuns(desk.services, true)
  expect(await worker.renew()).toBe(false)
  expect(await worker.begin(tasks)).toEqual([])
  const second = await PretendWorker.start(desk.services)
  await second.stop()
  expect(await second.renew()).toBe(false)
  expect(await second.begin(tasks)).toEqual([])
})

test('a worker is not buried between the beginning of an attempt and its commit', async () => {
  const run = await triggerJob(desk.ctx, await desk.job())
  const tasks = await worker.fetch()
  desk.advance(14_999)
  // The begin has read the lease and waits for the run, while the lease runs out and a rescuer comes by.
  const held = await desk.sql.begin(async sql => {
    await sql`select id from runs where id = ${run.id} for update`
    const beginning = worker.begin(tasks)
    await untilBlocked(desk.sql, 1)
    desk.advance(2)
    expect((await rescueRuns(desk.services, true)).deadWorkers).toEqual([])
    return { beginning }
  })
  expect(await held.beginning).toHaveLength(1)
  // The next sweep sees worker and attempt.
  expect(await rescueRuns(desk.services, true)).toMatchObject({ deadWorkers: [worker.id], lostAttempts: 1 })
  expect(await desk.attempts(run.id)).toMatchObject([{ state: 'lost' }])
})

test('a worker that is stopped while it begins hands over what it began', async () => {
  const run = await triggerJob(desk.ctx, await desk.job())
  const tasks = await worker.fetch()
  const held = await desk.sql.begin(async sql => {
    await sql`select id from runs where id = ${run.id} for update`
    const beginning = worker.begin(tasks)
    await untilBlocked(desk.sql, 1)
    const stopping = worker.stop()
    await untilBlocked(desk.sql, 2)
    return { beginning, stopping }
  })
  expect(await held.beginning).toHaveLength(1)
  expect(await held.stopping).toBe(1)
  expect(await desk.attempts(run.id)).toMatchObject([{ state: 'lost' }])
})

test('a run that is cancelled while a worker begins it either has no attempt or a cancelled one', async () => {
  const name = await desk.job({ overlap: 'allow' })
  const runs = await Promise.all(Array.from({ length: 12 }, () => triggerJob(desk.ctx, name)))
  const tasks = await worker.fetch()
  const [begun] = await Promise.all([
    Promise.all(tasks.map(task => worker.begin([task]))),
    ...runs.map(run => cancelRun(desk.ctx, run.id)),
  ])
  const began = new Set(begun.flat().map(b => b.run_id))
  for (const { id } of runs) {
    expect(await desk.run(id)).toMatchObject({ state: 'cancelled', slot_host: null })
    expect((await desk.attempts(id)).map(a => a.state)).toEqual(began.has(id) ? ['cancelled'] : [])
  }
})

test('a batch begins what is ready and leaves the rest', async () => {
  const name = await desk.job({ overlap: 'allow' })
  const runs = [
    await triggerJob(desk.ctx, name),
    await triggerJob(desk.ctx, name),
    await triggerJob(desk.ctx, name),
  ]
  const tasks = await worker.fetch()
  await cancelRun(desk.ctx, runs[1]?.id ?? '')
  const begun = await worker.begin(tasks)
  expect(begun.map(b => b.run_id).sort()).toEqual([runs[0]?.id, runs[2]?.id].sort())
  expect(new Set(begun.map(b => b.fence)).size).toBe(2)
  expect(await tasksOf(desk.sql, runs[0]?.id ?? '')).toMatchObject([{ locked_by: worker.poolId }])
})
