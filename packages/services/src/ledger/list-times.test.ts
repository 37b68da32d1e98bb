import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeTenant, openServices, type Tenant, type TestServices } from '../../test/tenants.ts'
import { pauseJob, resumeJob } from '../job/pause-job.ts'
import { putJob } from '../job/put-job.ts'
import { triggerJob } from '../job/trigger-job.ts'
import { cancelRun } from '../run/cancel-run.ts'
import { claimDue } from '../schedule/claim-due.ts'
import { listTimes } from './list-times.ts'

let t: TestServices
let mine: Tenant
const HOUR = 3_600_000
const request = { url: 'https://api.example.com/report' }

beforeAll(async () => {
  t = await openServices()
  mine = await makeTenant(t.services)
})
afterAll(() => t?.drop())

/** The ledger of a job as `time outcome`, times as hours after `from`. */
async function ledger(name: string, from: Date, hours: number): Promise<string[]> {
  const to = new Date(from.getTime() + hours * HOUR)
  const { data } = await listTimes(mine.as('viewer'), name, {
    from: from.toISOString(),
    to: to.toISOString(),
  })
  return data.map(
    e =>
      `${(Date.parse(e.scheduled_for) - from.getTime()) / HOUR} ${e.outcome}${e.run ? ` ${e.run.state}` : ''}`,
  )
}

test('every time of a day full of events says what became of it and why', async () => {
  const start = t.now() // on the hour
  const ctx = mine.as('owner')
  t.advance(HOUR / 2)
  await putJob(ctx, 'report', { cron: '0 * * * *', ...request })
  t.advance(HOUR / 2)
  await claimDue(t.services, 10) // hour 1 starts
  t.advance(HOUR)
  await claimDue(t.services, 10) // hour 2 is skipped: hour 1 is still going
  const [open] = await t.sql<{ id: string }[]>`select id from runs where state = 'pending'`
  await cancelRun(ctx, open?.id ?? '')
  t.advance(3 * HOUR + HOUR / 2)
  await claimDue(t.services, 10) // nobody was there at 3, 4 and 5: 5 is recorded as missed, 3 and 4 only here
  await pauseJob(ctx, 'report')
  t.advance(HOUR) // 6 passes while paused
  await resumeJob(ctx, 'report')
  t.advance(HOUR)
  await putJob(ctx, 'report', { cron: '15 * * * *', ...request }) // settles 7 first, then has no 8
  t.advance(HOUR)
  await claimDue(t.services, 10)
  expect(await ledger('report', start, 9)).toEqual([
    '0.25 not_created',
    '1 ran cancelled',
    '1.25 other_schedule',
    '2 skipped skipped',
    '2.25 other_schedule',
    '3 missed',
    '3.25 other_schedule',
    '4 missed',
    '4.25 other_schedule',
    '5 missed skipped',
    '5.25 other_schedule',
    '6 paused',
    '6.25 paused',
    '7 missed skipped',
    '7.25 other_schedule',
    '8.25 missed skipped',
  ])
})

test('a run by hand is in the ledger at its instant, and times ahead lie ahead', async () => {
  const ctx = mine.as('owner')
  const from = t.now()
  await putJob(ctx, 'by-hand', { interval_minutes: 60, ...request })
  t.advance(60_000)
  const run = await triggerJob(ctx, 'by-hand')
  const { data } = await listTimes(ctx, 'by-hand', {
    from: from.toISOString(),
    to: new Date(from.getTime() + 2 * HOUR).toISOString(),
  })
  expect(data[0]).toMatchObject({
    scheduled_for: run.scheduled_for,
    run: { id: run.id, trigger: 'manual' },
    current_schedule: false,
  })
  expect(data.slice(1).map(e => e.outcome)).toEqual(['upcoming', 'upcoming'])
})

test('what retention may have removed is told as unknown, what came after as missed', async () => {
  const ctx = mine.as('owner')
  const start = new Date(Math.ceil((t.now().getTime() + 1) / HOUR) * HOUR)
  await putJob(ctx, 'pruned', { cron: '0 * * * *', ...request })
  t.advance(start.getTime() - t.now().getTime() + 4 * HOUR + HOUR / 2)
  await claimDue(t.services, 10)
  await t.sql`delete from runs where job_id = (select id from jobs where name = 'pruned')`
  await t.sql`update jobs set pruned_through = ${new Date(start.getTime() + 2 * HOUR)} where name = 'pruned'`
  expect(await ledger('pruned', start, 4)).toEqual([
    '0 unknown',
    '1 unknown',
    '2 unknown',
    '3 missed',
    '4 missed',
  ])
})

test('pages follow one another without a gap', async () => {
  const ctx = mine.as('owner')
  const from = t.now()
  await putJob(ctx, 'paged', { cron: '* * * * *', ...request })
  const query = { from: from.toISOString(), to: new Date(from.getTime() + HOUR).toISOString() }
  const whole = await listTimes(ctx, 'paged', { ...query, limit: 200 })
  const seen: string[] = []
  let cursor: string | undefined
  do {
    const page = await listTimes(ctx, 'paged', { ...query, limit: 7, cursor })
    seen.push(...page.data.map(e => e.scheduled_for))
    cursor = page.next_cursor ?? undefined
  } while (cursor)
  expect(seen).toEqual(whole.data.map(e => e.scheduled_for))
  expect(seen.length).toBeGreaterThanOrEqual(60)
})

test('a range that is none is refused with its field, another tenant’s job is not found', async () => {
  const ctx = mine.as('owner')
  await expect(listTimes(ctx, 'paged', { from: 'yesterday', to: '2027' })).rejects.toMatchObject({
    code: 'invalid_request',
    issues: [{ field: 'to' }, { field: 'from' }],
  })
  await expect(listTimes(ctx, 'paged', { cursor: 'bm9uZQ' })).rejects.toMatchObject({
    issues: [{ field: 'cursor' }],
  })
  const other = await makeTenant(t.services)
  await expect(listTimes(other.as('owner'), 'paged', {})).rejects.toMatchObject({ code: 'not_found' })
})
