import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeTenant, openServices, type Tenant, type TestServices } from '../../test/tenants.ts'
import { putJob } from '../job/put-job.ts'
import { triggerJob } from '../job/trigger-job.ts'
import { claimDue } from '../schedule/claim-due.ts'
import { backfillJob } from './backfill-job.ts'
import { cancelRun } from './cancel-run.ts'
import { listRuns } from './list-runs.ts'

let t: TestServices
let mine: Tenant
const HOUR = 3_600_000
const request = { url: 'https://api.example.com/report' }

beforeAll(async () => {
  t = await openServices()
  mine = await makeTenant(t.services)
})
afterAll(() => t?.drop())

/** An hourly job that nobody started for some hours, and the hours as a range. */
async function neglected(name: string, hours: number, settings: object = {}) {
  const ctx = mine.as('owner')
  t.advance(HOUR - (t.now().getTime() % HOUR))
  const created = t.now()
  await putJob(ctx, name, { cron: '0 * * * *', ...request, ...settings })
  t.advance(hours * HOUR + HOUR / 2)
  await claimDue(t.services, 100)
  return { ctx, range: { from: new Date(created.getTime() + 1).toISOString(), to: t.now().toISOString() } }
}

test('a dry run counts and changes nothing; then each time gets its run, the missed one is retried', async () => {
  const { ctx, range } = await neglected('counted', 5)
  const counted = await backfillJob(ctx, 'counted', { ...range, dry_run: true })
  expect(counted).toEqual({
    dry_run: true,
    times: 5,
    created: 4,
    retried: 1,
    unchanged: 0,
    unknown: 0,
    runs: [],
  })
  expect((await listRuns(ctx, { job: 'counted' })).data).toHaveLength(1)
  const done = await backfillJob(ctx, 'counted', range)
  expect(done).toMatchObject({ dry_run: false, created: 4, retried: 1 })
  const { data } = await listRuns(ctx, { job: 'counted' })
  expect(data).toHaveLength(5)
  expect(new Set(data.map(r => r.scheduled_for)).size).toBe(5)
  expect(data.map(r => r.trigger).sort()).toEqual([
    'backfill',
    'backfill',
    'backfill',
    'backfill',
    'schedule',
  ])
  expect(await backfillJob(ctx, 'counted', range)).toMatchObject({ created: 0, retried: 0, unchanged: 5 })
})

test('a failed, a cancelled and a skipped run are retried, a succeeded and an open one are left as they are', async () => {
  const { ctx, range } = await neglected('mixed', 5)
  await backfillJob(ctx, 'mixed', range)
  const states = ['failed', 'cancelled', 'skipped', 'succeeded', 'pending']
  const all = async () =>
    t.sql<{ id: string; state: string; set_going_by: string }[]>`
      select r.id, r.state, r.set_going_by from runs r join jobs j on j.id = r.job_id where j.name = 'mixed'
      order by scheduled_for`
  const runs = await all()
  for (const [i, state] of states.entries())
    await t.sql`
      update runs set state = ${state}, skip_reason = ${state === 'skipped' ? 'missed' : null},
        finished_at = ${state === 'pending' ? null : t.now()}, due_at = ${state === 'pending' ? t.now() : null},
        slot_host = null, admitted_at = null, waits_for_turn = false, set_going_by = 'schedule'
      where id = ${runs[i]?.id ?? ''}`
  expect(await backfillJob(ctx, 'mixed', range)).toMatchObject({ created: 0, retried: 3, unchanged: 2 })
  expect((await all()).map(run => [run.state, run.set_going_by])).toEqual([
    ['pending', 'backfill'],
    ['pending', 'backfill'],
    ['pending', 'backfill'],
    ['succeeded', 'schedule'],
    ['pending', 'schedule'],
  ])
})

test('backfilled runs go one after the other, the earliest time first', async () => {
  const { ctx, range } = await neglected('in-order', 3)
  await backfillJob(ctx, 'in-order', range)
  const seen: string[] = []
  for (let i = 0; i < 3; i++) {
    const slots = await t.sql<{ id: string; at: Date }[]>`
      select r.id, scheduled_for as at from runs r join jobs j on j.id = r.job_id
      where j.name = 'in-order' and slot_host is not null`
    expect(slots).toHaveLength(1)
    seen.push(slots[0]?.at.toISOString() ?? '')
    await cancelRun(ctx, slots[0]?.id ?? '')
  }
  expect(seen).toEqual([...seen].sort())
})

test('a backfill does not make the schedule skip, and a run by hand does not wait for it', async () => {
  const { ctx, range } = await neglected('beside', 2)
  await backfillJob(ctx, 'beside', range)
  t.advance(HOUR / 2)
  await claimDue(t.services, 100)
  const { data } = await listRuns(ctx, { job: 'beside' })
  expect(data.find(r => Date.parse(r.scheduled_for) === t.now().getTime())?.state).toBe('pending')
  const run = await triggerJob(ctx, 'beside')
  const [row] = await t.sql`select slot_host from runs where id = ${run.id}`
  expect(row?.slot_host).toBe('api.example.com')
})

test('a succeeded run is only repeated, and a time before what retention removed only taken, when asked', async () => {
  const { ctx, range } = await neglected('asked', 4)
  await t.sql`
    update runs set put_back = true, state = 'pending', skip_reason = null, finished_at = null
    where job_id = (select id from jobs where name = 'asked')`
  await t.sql`
    update runs set state = 'succeeded', finished_at = now(), due_at = null
    where job_id = (select id from jobs where name = 'asked')`
  const through = new Date(Date.parse(range.from) + 2 * HOUR)
  await t.sql`update jobs set pruned_through = ${through} where name = 'asked'`
  expect(await backfillJob(ctx, 'asked', { ...range, dry_run: true })).toMatchObject({
    created: 1,
    retried: 0,
    unchanged: 1,
    unknown: 2,
  })
  expect(await backfillJob(ctx, 'asked', { ...range, dry_run: true, only_missing: false })).toMatchObject({
    created: 3,
    retried: 1,
    unchanged: 0,
    unknown: 0,
  })
})

test('the job’s own from and to do not bound it; more than 1,000 times and future times are refused', async () => {
  const ctx = mine.as('owner')
  const from = new Date(t.now().getTime() - 3 * HOUR)
  await putJob(ctx, 'windowed', {
    cron: '0 * * * *',
    ...request,
    from: new Date(t.now().getTime() + HOUR).toISOString(),
  })
  expect(
    await backfillJob(ctx, 'windowed', {
      from: from.toISOString(),
      to: t.now().toISOString(),
      dry_run: true,
    }),
  ).toMatchObject({ created: 3 })
  const long = { from: new Date(t.now().getTime() - 1_002 * HOUR).toISOString(), to: t.now().toISOString() }
  await expect(backfillJob(ctx, 'windowed', long)).rejects.toMatchObject({
    issues: [{ field: 'to', message: expect.stringContaining('1000') }],
  })
  const ahead = { from: from.toISOString(), to: new Date(t.now().getTime() + HOUR).toISOString() }
  await expect(backfillJob(ctx, 'windowed', ahead)).rejects.toMatchObject({ issues: [{ field: 'to' }] })
})

test('two backfills of one range at once make each run once', async () => {
  const { ctx, range } = await neglected('twice', 6)
  await Promise.all([backfillJob(ctx, 'twice', range), backfillJob(ctx, 'twice', range)])
  const { data } = await listRuns(ctx, { job: 'twice' })
  expect(new Set(data.map(r => r.scheduled_for)).size).toBe(data.length)
  expect(data).toHaveLength(6)
})
