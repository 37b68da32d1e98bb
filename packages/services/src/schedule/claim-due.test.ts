import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type Desk, openDesk, outcome } from '../../test/job-desk.ts'
import { deleteJob } from '../job/delete-job.ts'
import { getJob } from '../job/get-job.ts'
import { patchJob } from '../job/patch-job.ts'
import { pauseJob } from '../job/pause-job.ts'
import { putJob } from '../job/put-job.ts'
import { nextDueAt } from './admit-due.ts'
import { claimDue } from './claim-due.ts'

let desk: Desk
beforeAll(async () => {
  desk = await openDesk()
})
afterAll(() => desk?.drop())
beforeEach(async () => {
  await desk.clear()
  desk.at('2027-01-15T12:00:00Z')
})

const MINUTELY = { cron: '* * * * *', overlap: 'allow' } as const

async function became(name: string): Promise<string[]> {
  return (await desk.runs(name)).map(
    run => `${run.scheduled_for.toISOString().slice(11, 19)} ${outcome(run)}`,
  )
}

test('ten schedulers that race for the same jobs make one run per job and time, each with one task', async () => {
  const names = await Promise.all(Array.from({ length: 60 }, () => desk.job(MINUTELY)))
  desk.at('2027-01-15T12:02:00Z')
  const claimed = await Promise.all(
    Array.from({ length: 10 }, async () => {
      let sum = 0
      for (let n = 1; n > 0; sum += n) n = await claimDue(desk.services, 7)
      return sum
    }),
  )
  expect(claimed.reduce((a, b) => a + b)).toBe(60)
  expect(claimed.filter(n => n > 0).length).toBeGreaterThan(1)
  for (const name of names) expect(await became(name)).toEqual(['12:01:00 pending', '12:02:00 pending'])
  const [tasks] = await desk.sql`
    select count(*)::int as n, count(distinct key)::int as runs from graphile_worker._private_jobs`
  // The bound on calls in flight to one host is 50.
  expect(tasks).toEqual({ n: 50, runs: 50 })
  expect(await desk.tick()).toBe(0)
})

test('a time claimed 60 s after it was due runs, and 1 ms later it was missed', async () => {
  const onTime = await desk.job({ cron: '0 13 * * *' })
  desk.at('2027-01-15T13:01:00.000Z')
  await desk.tick()
  expect(await became(onTime)).toEqual(['13:00:00 pending'])

  const late = await desk.job({ cron: '0 14 * * *' })
  desk.at('2027-01-15T14:01:00.001Z')
  await desk.tick()
  expect(await became(late)).toEqual(['14:00:00 skipped/missed'])
})

test.each([
  // The time that is on time runs, and the most recent missed one is recorded, under either setting.
  {
    missed: 'skip',
    cron: '* * * * *',
    down: '12:02:30',
    expected: ['12:01:00 skipped/missed', '12:02:00 pending'],
  },
  {
    missed: 'catch_up',
    cron: '* * * * *',
    down: '13:00:30',
    expected: ['12:59:00 skipped/missed', '13:00:00 pending'],
  },
  // None is on time: the most recent one counts.
  { missed: 'skip', cron: '*/5 * * * *', down: '13:02:00', expected: ['13:00:00 skipped/missed'] },
  { missed: 'catch_up', cron: '*/5 * * * *', down: '13:02:00', expected: ['13:00:00 pending'] },
] as const)('after being down till $down, $cron with missed: $missed gives $expected', async row => {
  const name = await desk.job({ cron: row.cron, overlap: 'allow', missed: row.missed })
  desk.at(`2027-01-15T${row.down}Z`)
  await desk.tick()
  expect(await became(name)).toEqual(row.expected)
})

test('after a week down an hourly job catches up once, with its latest time, and goes on from now', async () => {
  const name = await desk.job({ cron: '0 * * * *', missed: 'catch_up' })
  desk.at('2027-01-22T12:30:00Z')
  await desk.tick()
  const runs = await desk.runs(name)
  expect(runs.map(r => [r.scheduled_for.toISOString(), outcome(r)])).toEqual([
    ['2027-01-22T12:00:00.000Z', 'pending'],
  ])
  expect((await getJob(desk.ctx, name)).job.next_run_at).toBe('2027-01-22T13:00:00Z')
})

test('a time given once is caught up however late, and its job is completed', async () => {
  const name = await desk.job({ at: '2027-01-15T12:30:00Z' })
  desk.at('2027-01-20T00:00:00Z')
  await desk.tick()
  expect(await became(name)).toEqual(['12:30:00 pending'])
  expect((await getJob(desk.ctx, name)).job).toMatchObject({
    state: 'completed',
    next_run_at: null,
    next_runs: [],
  })
})

test('missed is judged before overlap: a missed time that is caught up may still be skipped for overlap', async () => {
  const name = await desk.job({ cron: '0 * * * *', missed: 'catch_up', overlap: 'skip' })
  desk.at('2027-01-15T13:00:00Z')
  await desk.tick()
  desk.at('2027-01-15T15:30:00Z')
  await desk.tick()
  expect(await became(name)).toEqual(['13:00:00 pending', '15:00:00 skipped/overlap'])
})

test('a missed time that is skipped is missed, not an overlap, while another run is going', async () => {
  const name = await desk.job({ cron: '0 * * * *', missed: 'skip', overlap: 'skip' })
  desk.at('2027-01-15T13:00:00Z')
  await desk.tick()
  desk.at('2027-01-15T15:30:00Z')
  await desk.tick()
  expect(await became(name)).toEqual(['13:00:00 pending', '15:00:00 skipped/missed'])
})

test('to is included, and the job is completed with its last time', async () => {
  const name = await desk.job({ cron: '*/10 * * * *', overlap: 'allow', to: '2027-01-15T12:20:00Z' })
  desk.at('2027-01-15T12:10:00Z')
  await desk.tick()
  expect((await getJob(desk.ctx, name)).job).toMatchObject({
    state: 'active',
    next_run_at: '2027-01-15T12:20:00Z',
  })
  desk.at('2027-01-15T12:20:00Z')
  await desk.tick()
  expect(await became(name)).toEqual(['12:10:00 pending', '12:20:00 pending'])
  expect((await getJob(desk.ctx, name)).job).toMatchObject({ state: 'completed', next_run_at: null })
  desk.at('2027-01-15T12:30:00Z')
  expect(await desk.tick()).toBe(0)
})

test('paused, completed and deleted jobs are not claimed', async () => {
  const paused = await desk.job(MINUTELY)
  const deleted = await desk.job(MINUTELY)
  await pauseJob(desk.ctx, paused)
  await deleteJob(desk.ctx, deleted)
  desk.at('2027-01-15T12:05:00Z')
  expect(await desk.tick()).toBe(0)
  expect(await became(paused)).toEqual([])
})

test('a clock set back makes nothing due again, and nothing runs twice when it comes round', async () => {
  const name = await desk.job(MINUTELY)
  desk.at('2027-01-15T12:01:00Z')
  await desk.tick()
  desk.at('2027-01-15T11:50:00Z')
  expect(await desk.tick()).toBe(0)
  desk.at('2027-01-15T12:01:30Z')
  expect(await desk.tick()).toBe(0)
  desk.at('2027-01-15T12:02:00Z')
  expect(await desk.tick()).toBe(1)
  expect(await became(name)).toEqual(['12:01:00 pending', '12:02:00 pending'])
})

test('a clock set far forward and back again leaves one record of what was missed, and the schedule goes on', async () => {
  const name = await desk.job(MINUTELY)
  desk.at('2027-03-01T00:00:30Z')
  await desk.tick()
  desk.at('2027-01-15T12:05:00Z')
  await desk.tick()
  const runs = await desk.runs(name)
  expect(runs.map(r => [r.scheduled_for.toISOString(), outcome(r)])).toEqual([
    ['2027-02-28T23:59:00.000Z', 'skipped/missed'],
    ['2027-03-01T00:00:00.000Z', 'pending'],
  ])
  // An edit of the schedule finds the first time after the present clock.
  await patchJob(desk.ctx, name, { cron: '*/2 * * * *' })
  expect((await getJob(desk.ctx, name)).job.next_run_at).toBe('2027-01-15T12:06:00Z')
})

test('a time that is claimed again after the clock was set back keeps its run, which no longer takes its own place', async () => {
  const name = await desk.job({ ...MINUTELY, overlap: 'queue' })
  desk.at('2027-01-15T12:01:00Z')
  await desk.tick()
  desk.at('2027-01-15T12:02:00Z')
  await desk.tick()
  expect(await became(name)).toEqual(['12:01:00 pending', '12:02:00 pending'])
  desk.at('2027-01-15T12:00:10Z')
  await patchJob(desk.ctx, name, { timezone: 'Europe/Stockholm' })
  desk.at('2027-01-15T12:02:00Z')
  await desk.tick()
  expect(await became(name)).toEqual(['12:01:00 pending', '12:02:00 pending'])
  expect((await desk.runs(name)).map(r => r.waits_for_turn)).toEqual([false, true])
})

test('a job that another transaction holds is left to it, and the others are claimed', async () => {
  const held = await desk.job(MINUTELY)
  const free = await desk.job(MINUTELY)
  desk.at('2027-01-15T12:01:00Z')
  await desk.sql.begin(async sql => {
    await sql`select id from jobs where name = ${held} for no key update`
    expect(await desk.tick()).toBe(1)
  })
  expect(await became(free)).toEqual(['12:01:00 pending'])
  expect(await became(held)).toEqual([])
  expect(await desk.tick()).toBe(1)
})

test('times, runs and what comes next commit together or not at all', async () => {
  const name = await desk.job(MINUTELY)
  desk.at('2027-01-15T12:01:00Z')
  // The last thing a claim does is to add tasks.
  await desk.sql`alter function graphile_worker.add_jobs rename to add_jobs_away`
  await expect(claimDue(desk.services, 10)).rejects.toThrow(/add_jobs/)
  await desk.sql`alter function graphile_worker.add_jobs_away rename to add_jobs`
  expect(await became(name)).toEqual([])
  expect((await getJob(desk.ctx, name)).job.next_run_at).toBe('2027-01-15T12:01:00Z')
  await desk.tick()
  expect(await became(name)).toEqual(['12:01:00 pending'])
})

/** As after a change of the time zone database that this process does not have yet. */
async function spoil(name: string, timezone: string) {
  await desk.sql`
    update schedule_versions set timezone = ${timezone} where job_id = (select id from jobs where name = ${name})`
}

test('a stored schedule that cannot be read holds up no other job, and is told of', async () => {
  const bad = await desk.job(MINUTELY)
  const good = await desk.job(MINUTELY)
  await spoil(bad, 'Atlantis/Poseidonis')
  desk.at('2027-01-15T12:01:00Z')
  const told: string[] = []
  expect(await claimDue(desk.services, 10, id => told.push(id))).toBe(2)
  expect(await became(good)).toEqual(['12:01:00 pending'])
  const [job] = await desk.sql`select id, next_run_at from jobs where name = ${bad}`
  expect(told).toEqual([job?.id])
  expect(await claimDue(desk.services, 10, () => undefined, told)).toBe(0)
  expect(await nextDueAt(desk.services, new Date('2027-01-15T12:01:00Z'), told)).toEqual(
    new Date('2027-01-15T12:02:00Z'),
  )
})

test('a stored schedule that cannot be read loses none of its times: whoever can read it claims them', async () => {
  const daily = await desk.job({ cron: '1 12 * * *' })
  const once = await desk.job({ cron: null, at: '2027-01-15T12:01:00Z' })
  for (const name of [daily, once]) await spoil(name, 'Atlantis/Poseidonis')
  desk.at('2027-01-15T12:01:00Z')
  await claimDue(desk.services, 10)
  for (const name of [daily, once]) await spoil(name, 'UTC')
  desk.at('2027-01-15T12:01:30Z')
  await claimDue(desk.services, 10)
  for (const name of [daily, once]) expect(await became(name)).toEqual(['12:01:00 pending'])
})

test('a stored schedule that cannot be read can be replaced', async () => {
  const bad = await desk.job(MINUTELY)
  await spoil(bad, 'Atlantis/Poseidonis')
  desk.at('2027-01-15T12:02:00Z')
  const { job: mended } = await putJob(desk.ctx, bad, { ...MINUTELY, url: 'https://target.example/' })
  expect(mended.next_run_at).toBe('2027-01-15T12:03:00Z')
  desk.at('2027-01-15T12:03:00Z')
  await desk.tick()
  expect(await became(bad)).toEqual(['12:03:00 pending'])
})

test('of 10,000 jobs due at once each gets its run, within its bounds, in a time that is bounded', async () => {
  const name = await desk.job({ cron: '0 * * * *' })
  const { id } = (await getJob(desk.ctx, name)).job
  await desk.sql`
    with copies as (
      insert into jobs select (jsonb_populate_record(j, jsonb_build_object('id', 'job_' || lpad(n::text, 26, '0'),
        'name', ${name} || '-' || n))).* from jobs j, generate_series(1, 9999) n where j.id = ${id}
    ), requests as (
      insert into request_versions select (jsonb_populate_record(v, jsonb_build_object(
        'id', 'req_' || lpad(n::text, 26, '0'), 'job_id', 'job_' || lpad(n::text, 26, '0')))).*
      from request_versions v, generate_series(1, 9999) n where v.job_id = ${id}
    ) insert into schedule_versions select (jsonb_populate_record(s, jsonb_build_object(
      'id', 'sch_' || lpad(n::text, 26, '0'), 'job_id', 'job_' || lpad(n::text, 26, '0')))).*
      from schedule_versions s, generate_series(1, 9999) n where s.job_id = ${id}`
  await desk.sql`
    update jobs set schedule_version_id = 'sch_' || substr(id, 5), request_version_id = 'req_' || substr(id, 5)
    where name like ${`${name}-%`}`
  desk.at('2027-01-15T13:00:00.500Z')
  const started = performance.now()
  expect(await desk.tick()).toBe(10_000)
  const tookMs = performance.now() - started
  const [made] = await desk.sql`
    select count(*)::int as runs, count(slot_host)::int as admitted from runs r join jobs j on j.id = r.job_id
    where j.name = ${name} or j.name like ${`${name}-%`}`
  expect(made).toEqual({ runs: 10_000, admitted: 50 })
  // Some 3 s on one core; the bound only tells a claim that grows with the square.
  expect(tookMs).toBeLessThan(60_000)
}, 120_000)
