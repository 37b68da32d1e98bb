import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { DAILY, type Desk, openDesk, outcome } from '../../test/job-desk.ts'
import { refusedFields, written } from '../../test/job-writes.ts'
import { fresh } from '../../test/tenants.ts'
import { getJob } from './get-job.ts'
import { pauseJob, resumeJob } from './pause-job.ts'
import { putJob } from './put-job.ts'

let desk: Desk
beforeAll(async () => {
  desk = await openDesk()
})
afterAll(() => desk?.drop())
beforeEach(async () => {
  await desk.clear()
  desk.at('2027-01-15T12:00:00Z')
})

test('a write that changes no schedule field leaves next_run_at alone', async () => {
  const name = await desk.job({ interval_minutes: 60 })
  const before = (await getJob(desk.ctx, name)).job.next_run_at
  desk.advance(10 * 60_000)
  const put = await putJob(desk.ctx, name, {
    interval_minutes: 60,
    url: 'https://else.example/',
    overlap: 'allow',
  })
  expect(put.job.next_run_at).toBe(before)
  expect(await written(desk, name)).toMatchObject({ schedules: 1, requests: 2 })
})

test('a write first settles what is due under the old settings, then applies', async () => {
  const name = await desk.job({ cron: '*/10 * * * *', overlap: 'allow', body: 'old' })
  desk.at('2027-01-15T12:10:30Z')
  await putJob(desk.ctx, name, { cron: '0 * * * *', url: DAILY.url, body: 'new' })
  const [run] = await desk.runs(name)
  expect(run).toMatchObject({ state: 'pending', scheduled_for: new Date('2027-01-15T12:10:00Z') })
  const [sent] =
    await desk.sql`select request from request_versions where id = ${run?.request_version_id ?? ''}`
  expect(sent?.request.body).toBe('old')
  expect((await getJob(desk.ctx, name)).job.next_run_at).toBe('2027-01-15T13:00:00Z')
})

test('a refused write settles nothing', async () => {
  const name = await desk.job({ cron: '*/10 * * * *' })
  desk.at('2027-01-15T12:10:30Z')
  await refusedFields(putJob(desk.ctx, name, { cron: 'x', url: DAILY.url }))
  expect(await desk.runs(name)).toEqual([])
  expect((await getJob(desk.ctx, name)).job.next_run_at).toBe('2027-01-15T12:10:00Z')
})

test('missed times are settled by the old rule', async () => {
  const name = await desk.job({ cron: '*/10 * * * *', missed: 'catch_up' })
  desk.at('2027-01-15T12:35:00Z')
  await putJob(desk.ctx, name, { cron: '*/10 * * * *', url: DAILY.url, missed: 'skip' })
  expect((await desk.runs(name)).map(outcome)).toEqual(['pending'])
})

test('a paused job stays paused, and shows what resuming now would give', async () => {
  const name = await desk.job()
  await pauseJob(desk.ctx, name)
  const put = await putJob(desk.ctx, name, { cron: '0 4 * * *', url: DAILY.url })
  expect(put.job).toMatchObject({ state: 'paused', next_run_at: null })
  expect(put.job.next_runs[0]).toBe('2027-01-16T04:00:00Z')
  expect((await resumeJob(desk.ctx, name)).job).toMatchObject({
    state: 'active',
    next_run_at: '2027-01-16T04:00:00Z',
  })
})

test('an edit that adds times makes a completed job active again; another edit does not, nor is it refused', async () => {
  const name = await desk.job({ at: '2027-01-15T12:30:00Z' })
  desk.at('2027-01-15T12:30:00Z')
  await desk.tick()
  const settings = { at: '2027-01-15T12:30:00Z', url: DAILY.url }
  expect(await putJob(desk.ctx, name, settings)).toMatchObject({
    changed: false,
    job: { state: 'completed' },
  })
  const edited = await putJob(desk.ctx, name, { ...settings, description: 'was once' })
  expect(edited).toMatchObject({
    changed: true,
    job: { state: 'completed', next_run_at: null, next_runs: [] },
  })
  expect(await refusedFields(putJob(desk.ctx, name, { ...settings, at: '2027-01-15T12:29:00Z' }))).toEqual([
    'at',
  ])
  const again = await putJob(desk.ctx, name, { ...settings, at: '2027-01-15T13:00:00Z' })
  expect(again.job).toMatchObject({ state: 'active', next_run_at: '2027-01-15T13:00:00Z' })
})

test('the times of an interval count from the creation, cut to the second; edits, pause and resume keep that', async () => {
  desk.at('2027-01-15T12:00:07.654Z')
  const name = await desk.job({ interval_minutes: 30 })
  const next = async () => (await getJob(desk.ctx, name)).job.next_run_at
  expect(await next()).toBe('2027-01-15T12:30:07Z')
  desk.at('2027-01-15T12:10:00Z')
  await putJob(desk.ctx, name, { interval_minutes: 7, url: DAILY.url })
  expect(await next()).toBe('2027-01-15T12:14:07Z')
  await pauseJob(desk.ctx, name)
  desk.at('2027-01-15T12:20:00Z')
  await resumeJob(desk.ctx, name)
  expect(await next()).toBe('2027-01-15T12:21:07Z')
  // A from is an anchor of its own, and its own first time.
  await putJob(desk.ctx, name, { interval_minutes: 7, url: DAILY.url, from: '2027-01-15T12:25:00Z' })
  expect(await next()).toBe('2027-01-15T12:25:00Z')
  await putJob(desk.ctx, name, { interval_minutes: 7, url: DAILY.url, from: '2027-01-15T12:24:00Z' })
  expect(await next()).toBe('2027-01-15T12:24:00Z')
  await putJob(desk.ctx, name, { interval_minutes: 7, url: DAILY.url })
  expect(await next()).toBe('2027-01-15T12:21:07Z')
})

test('from and to are included', async () => {
  const put = await putJob(desk.ctx, fresh('job'), {
    cron: '0 * * * *',
    url: DAILY.url,
    from: '2027-01-15T14:00:00Z',
    to: '2027-01-15T15:00:00Z',
  })
  expect(put.job.next_runs).toEqual(['2027-01-15T14:00:00Z', '2027-01-15T15:00:00Z'])
})
