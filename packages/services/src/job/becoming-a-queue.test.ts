import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type Desk, openDesk } from '../../test/job-desk.ts'
import { PretendWorker } from '../../test/pretend-worker.ts'
import { cancelRun } from '../run/cancel-run.ts'
import { retryRun } from '../run/retry-run.ts'
import { patchJob } from './patch-job.ts'
import { triggerJob } from './trigger-job.ts'

/** What an outage of a target can leave of one job that runs alongside itself. */
const MANY = 20_000

let desk: Desk
beforeAll(async () => {
  desk = await openDesk()
})
afterAll(() => desk?.drop())
beforeEach(() => desk.clear())

type Trigger = 'schedule' | 'manual'
const RANK: Record<Trigger, number> = { manual: 0, schedule: 1 }

/** A job under `allow` whose runs, `n` of them, all wait for a slot, each a millisecond later than the one before. */
async function waiting(trigger: Trigger, n: number): Promise<string> {
  const name = await desk.job({ overlap: 'allow' })
  const { id } = await triggerJob(desk.ctx, name)
  const { sql } = desk
  await sql`
    insert into runs select (copy).* from (
      select jsonb_populate_record(r, jsonb_build_object('id', 'run_' || right(r.id, 6) || lpad(n::text, 20, '0'),
        'scheduled_for', r.scheduled_for + n * interval '1 ms', 'pending_at', r.pending_at + n * interval '1 ms',
        'due_at', r.created_at, 'slot_host', null, 'admitted_at', null, 'trigger', ${trigger}::text,
        'set_going_by', ${trigger}::text, 'admission_rank', ${RANK[trigger]}::int)) as copy
      from runs r, generate_series(1, ${n}::int) n where r.id = ${id} offset 0) copies`
  await sql`delete from runs where id = ${id}`
  await sql`delete from graphile_worker._private_jobs`
  await sql`analyze runs`
  return name
}

/** How many runs of a job stand so. */
async function counts(name: string): Promise<Record<string, number>> {
  const rows = await desk.sql<{ how: string; n: number }[]>`
    select case when r.waits_for_turn then 'waits for its turn' when slot_host is not null then 'admitted'
      else r.state end as how, count(*)::int as n
    from runs r join jobs j on j.id = r.job_id where j.name = ${name} group by 1`
  return Object.fromEntries(rows.map(row => [row.how, row.n]))
}

test('of very many scheduled runs the first goes and the latest waits; the rest is skipped, and counted', async () => {
  const name = await waiting('schedule', MANY)
  await patchJob(desk.ctx, name, { overlap: 'queue' })
  expect(await counts(name)).toEqual({ admitted: 1, 'waits for its turn': 1, skipped: MANY - 2 })
  const runs = await desk.sql<
    { slot_host: string | null; waits_for_turn: boolean; skip_reason: string | null }[]
  >`
    select slot_host, waits_for_turn, skip_reason from runs r join jobs j on j.id = r.job_id
    where j.name = ${name} order by r.scheduled_for`
  expect(runs[0]?.slot_host).not.toBeNull()
  expect(runs[1]?.skip_reason).toBe('overlap')
  expect(runs.at(-1)?.waits_for_turn).toBe(true)
  const [job] = await desk.sql`select runs_skipped::int as n from jobs where name = ${name}`
  expect(job?.n).toBe(MANY - 2)
  const [counter] = await desk.sql`
    select sum(value)::int as n from counters where project_id = ${desk.ctx.projectId} and metric = 'runs'
      and label = 'skipped overlap'`
  expect(counter?.n).toBe(MANY - 2)
})

test('very many runs by hand stay, and go one at a time in their order', async () => {
  const name = await waiting('manual', MANY)
  await patchJob(desk.ctx, name, { overlap: 'queue' })
  expect(await counts(name)).toEqual({ admitted: 1, 'waits for its turn': MANY - 1 })
  const worker = await PretendWorker.start(desk.services)
  const ordered = await desk.sql<{ id: string }[]>`
    select r.id from runs r join jobs j on j.id = r.job_id where j.name = ${name} order by r.pending_at limit 3`
  const gone: string[] = []
  for (let n = 0; n < 3; n++) {
    const begun = await worker.take()
    gone.push(...begun.map(b => b.run_id))
    await worker.finish(begun)
  }
  expect(gone).toEqual(ordered.map(r => r.id))
})

test('while one is under way none is let go; those by hand and put back stay, whatever their trigger', async () => {
  const name = await desk.job({ overlap: 'allow' })
  const going = (await triggerJob(desk.ctx, name)).id
  const worker = await PretendWorker.start(desk.services)
  const begun = await worker.take()
  const retried = (await triggerJob(desk.ctx, name)).id
  await cancelRun(desk.ctx, retried)
  await retryRun(desk.ctx, retried)
  const byHand = (await triggerJob(desk.ctx, name)).id
  await desk.sql`update runs set trigger = 'schedule' where id in (${retried}, ${going})`
  await patchJob(desk.ctx, name, { overlap: 'queue' })
  expect(await counts(name)).toEqual({ admitted: 1, 'waits for its turn': 2 })
  expect(await desk.run(going)).toMatchObject({ state: 'running' })
  await worker.finish(begun)
  expect((await worker.work()).map(b => b.run_id)).toEqual([retried, byHand])
})
