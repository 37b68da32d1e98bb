import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type Desk, openDesk } from '../../test/job-desk.ts'
import { PretendWorker, tasksOf } from '../../test/pretend-worker.ts'
import { deleteJob } from '../job/delete-job.ts'
import { cancelRun } from '../run/cancel-run.ts'
import { loseForgotten } from '../run/lose-forgotten.ts'
import { rescueRuns } from '../run/rescue-runs.ts'
import { claimInHand } from './claim-due.ts'

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
  await bound({})
})

async function bound(limits: { project_calls_in_flight?: number }): Promise<void> {
  await desk.sql`update projects set limits = ${desk.sql.json(limits)} where id = ${desk.ctx.projectId}`
}

const AT_12_01 = { cron: '1 12 15 1 *' } as const

/** Jobs that are due at 12:01, at which the clock stands then. */
async function due(count: number, settings: Parameters<Desk['job']>[0] = {}): Promise<string[]> {
  const names = []
  for (let i = 0; i < count; i++) names.push(await desk.job({ ...AT_12_01, ...settings }))
  desk.at('2027-01-15T12:01:00Z')
  await worker.renew()
  return names
}

const openTasks = () => desk.sql`select id from graphile_worker._private_jobs`

test('a worker with room begins what it claims in the same transaction, without a task', async () => {
  const [name = ''] = await due(1, { payload: { hello: 'world' } })
  const { claimed, begun, lateMs } = await worker.claim(10)
  expect([claimed, lateMs]).toEqual([1, 0])
  const [run] = await desk.runs(name)
  expect(begun).toEqual([
    {
      attempt_id: expect.stringMatching(/^att_/),
      fence: expect.any(Number),
      number: 1,
      run_id: run?.id,
      step_id: null,
      task_number: 1,
      organization_id: desk.ctx.organizationId,
      project_id: desk.ctx.projectId,
      job_id: expect.stringMatching(/^job_/),
      job_name: name,
      scheduled_for: new Date('2027-01-15T12:01:00Z'),
      request: expect.objectContaining({ kind: 'http', payload: '{"hello":"world"}' }),
    },
  ])
  expect(run).toMatchObject({
    state: 'running',
    trigger: 'schedule',
    started_at: desk.now(),
    slot_host: 'target.example',
    due_at: null,
    task_number: 1,
    attempts_made: 1,
  })
  expect(await desk.attempts(run?.id ?? '')).toMatchObject([
    { id: begun[0]?.attempt_id, number: 1, state: 'running', worker_id: worker.id, fence: begun[0]?.fence },
  ])
  expect(await openTasks()).toEqual([])
  await worker.finish(begun)
  expect((await desk.runs(name)).map(r => r.state)).toEqual(['succeeded'])
})

test('it takes no more than it has room for, and the others get their tasks', async () => {
  const names = await due(5)
  const { claimed, begun } = await worker.claim(2)
  expect([claimed, begun.length]).toEqual([5, 2])
  const runs = (await Promise.all(names.map(name => desk.runs(name)))).flat()
  expect(runs.map(run => run.state).sort()).toEqual(['pending', 'pending', 'pending', 'running', 'running'])
  for (const run of runs)
    expect(await tasksOf(desk.sql, run.id)).toHaveLength(run.state === 'pending' ? 1 : 0)
  expect(await worker.work()).toHaveLength(3)
})

test('what is no plain call is not begun by it: a pipeline, a call with a callback, an image', async () => {
  const url = 'https://target.example/'
  const targets = [
    {
      steps: [
        { id: 'one', url },
        { id: 'two', url },
      ],
      url: undefined,
    },
    { response: { callback: { max_wait_seconds: 60 } } },
    { image: { name: 'team/box', tag: '1' }, url: undefined },
  ]
  const names = []
  for (const target of targets) names.push(await desk.job({ ...AT_12_01, ...target }))
  desk.at('2027-01-15T12:01:00Z')
  await worker.renew()
  const { claimed, begun } = await worker.claim(10)
  expect([claimed, begun]).toEqual([3, []])
  for (const name of names) expect((await desk.runs(name)).map(run => run.state)).toEqual(['pending'])
  expect(await openTasks()).toHaveLength(3)
})

test('it begins only what fits the bounds, and nothing where something waits already', async () => {
  await bound({ project_calls_in_flight: 2 })
  await due(3)
  const first = await worker.claim(10)
  expect(first.begun).toHaveLength(2)
  await bound({ project_calls_in_flight: 4 })
  desk.at('2027-01-15T12:02:00Z')
  await worker.renew()
  const [later = ''] = [await desk.job({ cron: '3 12 15 1 *' })]
  desk.at('2027-01-15T12:03:00Z')
  await worker.renew()
  const second = await worker.claim(10)
  expect([second.claimed, second.begun]).toEqual([1, []])
  // Both are admitted together, in their order, as the bound has room for them now.
  expect(await openTasks()).toHaveLength(2)
  expect((await desk.runs(later)).map(run => run.state)).toEqual(['pending'])
})

test('overlap is decided as ever: what is skipped is recorded, what waits for its turn waits', async () => {
  const every = { cron: '* * * * *' } as const
  const [skips = '', queues = '', allows = ''] = [
    await desk.job({ ...every, overlap: 'skip' }),
    await desk.job({ ...every, overlap: 'queue' }),
    await desk.job({ ...every, overlap: 'allow' }),
  ]
  for (const minute of ['12:01', '12:02']) {
    desk.at(`2027-01-15T${minute}:00Z`)
    await worker.renew()
    await worker.claim(10)
  }
  const states = async (name: string) =>
    (await desk.runs(name)).map(run => (run.waits_for_turn ? 'waits' : run.state))
  expect(await states(skips)).toEqual(['running', 'skipped'])
  expect(await states(queues)).toEqual(['running', 'waits'])
  expect(await states(allows)).toEqual(['running', 'running'])
})

test('a worker whose lease has run out, or that was buried, begins nothing: all of it becomes tasks', async () => {
  await due(2)
  desk.advance(16_000)
  const { claimed, begun } = await worker.claim(10)
  expect([claimed, begun]).toEqual([2, []])
  expect(await openTasks()).toHaveLength(2)
})

test('a time that has its run already gets no second one, and no call', async () => {
  const [name = ''] = await due(1)
  await worker.claim(10)
  await desk.sql`update jobs set next_run_at = '2027-01-15T12:01:00Z' where name = ${name}`
  const { claimed, begun } = await worker.claim(10)
  expect([claimed, begun]).toEqual([1, []])
  expect(await desk.runs(name)).toHaveLength(1)
})

test('two workers at once share what is due, and each call is begun by one of them', async () => {
  await due(40)
  const other = await PretendWorker.start(desk.services)
  const claims = await Promise.all(
    [worker, other, worker, other].map(({ id }) =>
      claimInHand(desk.services, { workerId: id, room: 20 }, 10),
    ),
  )
  const begun = claims.flatMap(claim => claim.begun)
  const left = await claimInHand(desk.services, { workerId: worker.id, room: 40 }, 40)
  const all = [...begun, ...left.begun]
  expect(new Set(all.map(attempt => attempt.job_id)).size).toBe(40)
  expect(all).toHaveLength(40)
})

test('what a worker began as it claimed it is taken over when that worker dies', async () => {
  const [name = ''] = await due(1)
  await worker.claim(10)
  const other = await PretendWorker.start(desk.services)
  desk.advance(16_000)
  await other.renew()
  expect(await rescueRuns(desk.services, true)).toMatchObject({ lostAttempts: 1 })
  const [run] = await desk.runs(name)
  expect((await other.take()).map(attempt => [attempt.run_id, attempt.number])).toEqual([[run?.id, 2]])
})

test('what it was never told of, since the connection broke with the answer, is made again', async () => {
  const [name = ''] = await due(1)
  await worker.claim(10)
  desk.advance(21_000)
  await worker.renew()
  expect(await loseForgotten(desk.services, worker.id, [])).toBe(1)
  expect((await worker.take()).map(attempt => attempt.job_name)).toEqual([name])
})

test('a call that was begun so can be cancelled, and ends with the deletion of its job', async () => {
  const [cancelled = '', deleted = ''] = await due(2)
  const { begun } = await worker.claim(10)
  const [run] = await desk.runs(cancelled)
  await cancelRun(desk.ctx, run?.id ?? '')
  await deleteJob(desk.ctx, deleted)
  expect((await worker.finish(begun)).sort()).toEqual(begun.map(attempt => attempt.attempt_id).sort())
})
