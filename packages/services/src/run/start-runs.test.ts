import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type Desk, openDesk } from '../../test/job-desk.ts'
import { PretendWorker, tasksOf } from '../../test/pretend-worker.ts'
import { triggerJob } from '../job/trigger-job.ts'

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

/** Jobs that are all due at one minute; @returns their runs once claimed, in the order in which they were made. */
async function claimed(count: number): Promise<string[]> {
  const names = []
  for (let i = 0; i < count; i++) names.push(await desk.job({ cron: '1 12 15 1 *' }))
  desk.at('2027-01-15T12:01:00Z')
  await desk.tick()
  const runs = await Promise.all(names.map(name => desk.runs(name)))
  return runs
    .flat()
    .map(run => run.id)
    .sort()
}

test('what is due and fits is made with its slot and its task, in one write', async () => {
  const [id = ''] = await claimed(1)
  expect(await desk.run(id)).toMatchObject({
    state: 'pending',
    slot_host: 'target.example',
    due_at: null,
    task_number: 1,
  })
  expect(await tasksOf(desk.sql, id)).toEqual([{ number: 1, locked_by: null }])
  const [row] = await desk.sql<{ written: number }[]>`
    select (xmax::text::bigint <> 0)::int as written from runs where id = ${id}`
  expect(row?.written).toBe(0)
  expect((await worker.work()).map(attempt => attempt.run_id)).toEqual([id])
})

test('what does not fit waits, and goes when a slot is free', async () => {
  await bound({ project_calls_in_flight: 2 })
  const ids = await claimed(3)
  expect(await desk.run(ids[2] ?? '')).toMatchObject({
    slot_host: null,
    task_number: 0,
    due_at: expect.any(Date),
  })
  expect(await tasksOf(desk.sql, ids[2] ?? '')).toEqual([])
  expect((await worker.work()).map(attempt => attempt.run_id).sort()).toEqual(ids)
})

test('a new run never takes the slot of one that waits already', async () => {
  await bound({ project_calls_in_flight: 1 })
  const [, waiting = ''] = await claimed(2)
  // Room for one more that nobody has given out yet.
  await bound({ project_calls_in_flight: 2 })
  const late = await desk.job({ at: '2027-01-15T12:01:02Z' })
  desk.at('2027-01-15T12:01:02Z')
  await desk.tick()
  expect((await desk.run(waiting)).slot_host).toBe('target.example')
  expect(await desk.runs(late)).toMatchObject([{ slot_host: null, due_at: expect.any(Date) }])
})

test('one by hand goes before a scheduled one that waits', async () => {
  await bound({ project_calls_in_flight: 1 })
  const [, waiting = ''] = await claimed(2)
  await bound({ project_calls_in_flight: 2 })
  const byHand = await triggerJob(desk.ctx, await desk.job({ overlap: 'allow' }))
  expect((await desk.run(byHand.id)).slot_host).toBe('target.example')
  expect((await desk.run(waiting)).slot_host).toBeNull()
})

test('tasks stand in the order of their runs', async () => {
  const ids = await claimed(3)
  const tasks = await worker.fetch()
  expect(tasks.map(task => task.runId)).toEqual(ids)
})
