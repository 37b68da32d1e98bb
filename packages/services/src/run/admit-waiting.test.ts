import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type Desk, openDesk } from '../../test/job-desk.ts'
import { failing, PretendWorker, tasksOf, untilBlocked } from '../../test/pretend-worker.ts'
import { makeTenant } from '../../test/tenants.ts'
import type { BegunAttempt } from '../attempt/begin-attempts.ts'
import { deleteJob } from '../job/delete-job.ts'
import { putJob } from '../job/put-job.ts'
import { triggerJob } from '../job/trigger-job.ts'
import { admitDue } from '../schedule/admit-due.ts'
import { backfillJob } from './backfill-job.ts'
import { cancelRun } from './cancel-run.ts'
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
  await bound({})
})

/** Sets the project's own bounds. */
async function bound(limits: {
  project_calls_in_flight?: number
  host_calls_in_flight?: number
}): Promise<void> {
  await desk.sql`update projects set limits = ${desk.sql.json(limits)} where id = ${desk.ctx.projectId}`
}

async function slots(): Promise<Record<string, number>> {
  const rows = await desk.sql<{ host: string; n: number }[]>`
    select slot_host as host, count(*)::int as n from runs where slot_host is not null group by 1`
  return Object.fromEntries(rows.map(row => [row.host, row.n]))
}

/** A job on a host of its own, with some runs made by hand. */
async function triggered(host: string, times: number): Promise<string[]> {
  const name = await desk.job({ url: `https://${host}/`, overlap: 'allow' })
  const ids: string[] = []
  for (let i = 0; i < times; i++) ids.push((await triggerJob(desk.ctx, name)).id)
  return ids
}

test('a project has at most so many calls in flight, and a finished one lets the next go in the same transaction', async () => {
  await bound({ project_calls_in_flight: 3 })
  const ids = await triggered('a.example', 5)
  expect(await slots()).toEqual({ 'a.example': 3 })
  expect(await tasksOf(desk.sql, ids[3] ?? '')).toEqual([])
  expect(await desk.run(ids[3] ?? '')).toMatchObject({ state: 'pending', slot_host: null, task_number: 0 })
  const begun = await worker.take()
  expect(begun.map(b => b.run_id)).toEqual(ids.slice(0, 3))
  await worker.finish(begun.slice(0, 1))
  expect((await desk.run(ids[3] ?? '')).slot_host).toBe('a.example')
  expect((await desk.run(ids[4] ?? '')).slot_host).toBeNull()
})

test('a host has at most so many within a project, and never blocks another host', async () => {
  await bound({ project_calls_in_flight: 10, host_calls_in_flight: 2 })
  await triggered('a.example', 30)
  await triggered('b.example', 5)
  await triggered('c.example:8443', 1)
  await triggered('c.example', 1)
  expect(await slots()).toEqual({ 'a.example': 2, 'b.example': 2, 'c.example:8443': 1, 'c.example': 1 })
})

test('bounds are counted per project: a full one delays no other', async () => {
  const other = (await makeTenant(desk.services)).as('owner')
  await bound({ project_calls_in_flight: 1 })
  await triggered('a.example', 3)
  await putJob(other, 'theirs', { cron: '0 3 * * *', url: 'https://a.example/', overlap: 'allow' })
  await triggerJob(other, 'theirs')
  await triggerJob(other, 'theirs')
  expect(await slots()).toEqual({ 'a.example': 3 })
})

test('the organization sets what its projects do not', async () => {
  await desk.sql`
    update organizations set limits = '{"host_calls_in_flight": 2, "project_calls_in_flight": 4}'
    where id = ${desk.ctx.organizationId}`
  await bound({ project_calls_in_flight: 3 })
  await triggered('a.example', 4)
  await triggered('b.example', 4)
  expect(await slots()).toEqual({ 'a.example': 2, 'b.example': 1 })
  await desk.sql`update organizations set limits = '{}' where id = ${desk.ctx.organizationId}`
})

test('by hand goes first, then everything else by due time, backfills last', async () => {
  await bound({ project_calls_in_flight: 1 })
  const [blocker] = await triggered('z.example', 1)
  const hourly = await desk.job({ cron: '0 * * * *', url: 'https://a.example/' }, 'hourly')
  const quarter = await desk.job({ cron: '15 * * * *', url: 'https://b.example/' }, 'quarter')
  await backfillJob(desk.ctx, hourly, { from: '2027-01-15T09:00:00Z', to: '2027-01-15T09:00:00Z' })
  desk.at('2027-01-15T12:15:00Z')
  await desk.tick()
  desk.at('2027-01-15T13:00:00Z')
  await desk.tick()
  desk.at('2027-01-15T13:10:00Z')
  const [manual] = await triggered('c.example', 1)
  const [quarterRun] = await desk.runs(quarter)
  const [backfilled, hourlyRun] = await desk.runs(hourly)

  const order: string[] = []
  for (let begun = await worker.take(); begun.length > 0; begun = await worker.take()) {
    expect(begun).toHaveLength(1)
    order.push(...begun.map(b => b.run_id))
    await worker.finish(begun)
  }
  expect(order).toEqual([blocker, manual, quarterRun?.id, hourlyRun?.id, backfilled?.id])
})

test('a retried run goes by hand, also when a backfill had made it; what a backfill puts back goes last', async () => {
  await bound({ project_calls_in_flight: 1 })
  const name = await desk.job({
    cron: '0 * * * *',
    overlap: 'allow',
    max_attempts: 1,
    url: 'https://a.example/',
  })
  await backfillJob(desk.ctx, name, { from: '2027-01-15T09:00:00Z', to: '2027-01-15T09:00:00Z' })
  desk.at('2027-01-15T13:00:00Z')
  await desk.tick()
  await worker.work(failing(500))
  const [nine, thirteen] = await desk.runs(name)
  const [blocker] = await triggered('z.example', 1)
  await backfillJob(desk.ctx, name, { from: '2027-01-15T13:00:00Z', to: '2027-01-15T13:00:00Z' })
  await retryRun(desk.ctx, nine?.id ?? '')
  const order = (await worker.work()).map(b => b.run_id)
  expect(order).toEqual([blocker, nine?.id, thirteen?.id])
})

test('a next attempt that is due waits for its slot without a task, as running, and goes by its due time', async () => {
  await bound({ project_calls_in_flight: 1 })
  const name = await desk.job({ overlap: 'allow', min_backoff_seconds: 10, url: 'https://a.example/' })
  const first = await triggerJob(desk.ctx, name)
  await worker.finish(await worker.take(), failing(500))
  expect(await desk.run(first.id)).toMatchObject({ state: 'running', slot_host: null })
  const second = await triggerJob(desk.ctx, name)
  const third = await triggerJob(desk.ctx, name)
  const begun = await worker.take()
  expect(begun.map(b => b.run_id)).toEqual([second.id])
  desk.advance(10_000)
  await admitDue(desk.services)
  expect(await desk.run(first.id)).toMatchObject({ state: 'running', slot_host: null, due_at: desk.now() })
  await worker.finish(begun)
  // Both are by hand; the third has been due for longer.
  const next = await worker.take()
  expect(next.map(b => b.run_id)).toEqual([third.id])
  await worker.finish(next)
  expect((await worker.take()).map(b => [b.run_id, b.number])).toEqual([[first.id, 2]])
})

test('a raised bound lets what waits go by the next sweep', async () => {
  await bound({ project_calls_in_flight: 2 })
  await triggered('a.example', 6)
  await bound({ project_calls_in_flight: 5 })
  expect((await rescueRuns(desk.services, false)).admitted).toBe(3)
  expect(await slots()).toEqual({ 'a.example': 5 })
})

test('a lowered bound cuts nothing off, and lets nobody go before there is room', async () => {
  await bound({ project_calls_in_flight: 4 })
  await triggered('a.example', 6)
  const begun = await worker.take()
  await bound({ project_calls_in_flight: 2 })
  await worker.finish(begun.slice(0, 2))
  expect(await slots()).toEqual({ 'a.example': 2 })
  await worker.finish(begun.slice(2, 3))
  expect(await slots()).toEqual({ 'a.example': 2 })
})

test.each<[string, (begun: BegunAttempt) => Promise<unknown>]>([
  ['success', begun => worker.finish([begun])],
  ['failure', begun => worker.finish([begun], failing(404))],
  ['a backoff', begun => worker.finish([begun], failing(500))],
  ['a cancel', begun => cancelRun(desk.ctx, begun.run_id)],
  ['the deletion of its job', begun => deleteJob(desk.ctx, begun.job_name)],
  ['a shutdown of its worker', () => worker.stop()],
  [
    'the death of its worker',
    async () => {
      desk.advance(20_000)
      await rescueRuns(desk.services, true)
    },
  ],
])('a slot that is freed by %s goes to the next in the same transaction', async (_, free) => {
  await bound({ project_calls_in_flight: 1 })
  const [first] = await triggered('a.example', 1)
  const [waiting] = await triggered('b.example', 1)
  const [begun] = await worker.take()
  expect(begun?.run_id).toBe(first)
  desk.advance(1)
  if (begun) await free(begun)
  const admitted = await desk.sql<{ id: string }[]>`select id from runs where slot_host is not null`
  expect(admitted.map(r => r.id)).toEqual([waiting])
})

test('many at once never admit more than fit, and leave nobody behind', async () => {
  await bound({ project_calls_in_flight: 7, host_calls_in_flight: 4 })
  const names = await Promise.all(
    ['a', 'b', 'c'].map(host => desk.job({ url: `https://${host}.example/`, overlap: 'allow' })),
  )
  await Promise.all(Array.from({ length: 40 }, (_, i) => triggerJob(desk.ctx, names[i % 3] ?? '')))
  const full = await slots()
  expect(Object.values(full).reduce((a, b) => a + b)).toBe(7)
  expect(Math.max(...Object.values(full))).toBeLessThanOrEqual(4)

  const workers = [worker, await PretendWorker.start(desk.services), await PretendWorker.start(desk.services)]
  let ended = 0
  let most = 0
  await Promise.all(
    workers.map(async w => {
      for (let begun = await w.take(2); ended < 40; begun = await w.take(2)) {
        await Promise.all(begun.map(b => w.finish([b])))
        ended += begun.length
        const taken = await slots()
        most = Math.max(most, ...Object.values(taken))
        expect(Object.values(taken).reduce((a, b) => a + b, 0)).toBeLessThanOrEqual(7)
      }
    }),
  )
  expect(most).toBeLessThanOrEqual(4)
  const [left] = await desk.sql`
    select count(*)::int as n from runs where finished_at is null or state <> 'succeeded' and trigger = 'manual'
      and job_id in (select id from jobs where name = any(${names}))`
  expect(left).toEqual({ n: 0 })
})

test('a run that a cancel holds is passed over, and the next one goes', async () => {
  await bound({ project_calls_in_flight: 1 })
  const [first] = await triggered('a.example', 1)
  const [held, next] = await triggered('b.example', 2)
  const begun = await worker.take()
  await desk.sql.begin(async sql => {
    await sql`select id from runs where id = ${held ?? ''} for update`
    await worker.finish(begun)
  })
  expect((await desk.run(first ?? '')).state).toBe('succeeded')
  expect((await desk.run(next ?? '')).slot_host).toBe('b.example')
  expect((await desk.run(held ?? '')).slot_host).toBeNull()
  await worker.work()
  expect((await desk.run(held ?? '')).state).toBe('succeeded')
})

test('a slot that is freed while another admits is not lost', async () => {
  await bound({ project_calls_in_flight: 2 })
  const ids = await triggered('a.example', 4)
  const begun = await worker.take()
  const both = await desk.sql.begin(async sql => {
    await sql`select id from projects where id = ${desk.ctx.projectId} for update`
    const finishing = Promise.all(begun.map(b => worker.finish([b])))
    await untilBlocked(desk.sql, 2)
    return { finishing }
  })
  await both.finishing
  await worker.work()
  const states = await Promise.all(ids.map(async id => (await desk.run(id)).state))
  expect(states).toEqual(['succeeded', 'succeeded', 'succeeded', 'succeeded'])
})
