import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type Desk, openDesk, outcome } from '../../test/job-desk.ts'
import { PretendWorker } from '../../test/pretend-worker.ts'
import { auditRows, makeTenant, whoMay } from '../../test/tenants.ts'
import { getJob } from './get-job.ts'
import { pauseJob, resumeJob } from './pause-job.ts'
import { putJob } from './put-job.ts'
import { triggerJob } from './trigger-job.ts'

let desk: Desk
beforeAll(async () => {
  desk = await openDesk()
})
afterAll(() => desk?.drop())
beforeEach(async () => {
  await desk.clear()
  desk.at('2027-01-15T12:00:00Z')
})

const intervals = (name: string) => desk.sql`
  select paused_at, resumed_at from pause_intervals where job_id = (select id from jobs where name = ${name})`

test('times that pass while a job is paused are not run and leave no runs; it goes on with the next time', async () => {
  const name = await desk.job({ cron: '*/10 * * * *', missed: 'catch_up' })
  expect((await pauseJob(desk.ctx, name)).job).toMatchObject({ state: 'paused', next_run_at: null })
  desk.at('2027-01-15T13:05:00Z')
  await desk.tick()
  const { job } = await resumeJob(desk.ctx, name)
  expect(job).toMatchObject({ state: 'active', next_run_at: '2027-01-15T13:10:00Z' })
  await desk.tick()
  expect(await desk.runs(name)).toEqual([])
  expect(await intervals(name)).toEqual([
    { paused_at: new Date('2027-01-15T12:00:00Z'), resumed_at: new Date('2027-01-15T13:05:00Z') },
  ])
})

test('what was due before the pause is settled by it, and pending runs finish', async () => {
  const name = await desk.job({ cron: '*/10 * * * *' })
  desk.at('2027-01-15T12:10:20Z')
  await pauseJob(desk.ctx, name)
  expect((await desk.runs(name)).map(outcome)).toEqual(['pending'])
  const worker = await PretendWorker.start(desk.services)
  await worker.work()
  expect((await desk.runs(name)).map(outcome)).toEqual(['succeeded'])
})

test('a time at the very instant of a resume is not run: it starts at the next', async () => {
  const name = await desk.job({ cron: '*/10 * * * *' })
  await pauseJob(desk.ctx, name)
  desk.at('2027-01-15T12:10:00Z')
  expect((await resumeJob(desk.ctx, name)).job.next_run_at).toBe('2027-01-15T12:20:00Z')
})

test('a paused job stays paused when its times run out, and resuming it then makes it completed', async () => {
  const name = await desk.job({ cron: '*/10 * * * *', to: '2027-01-15T12:20:00Z' })
  await pauseJob(desk.ctx, name)
  desk.at('2027-01-15T14:00:00Z')
  await desk.tick()
  expect((await getJob(desk.ctx, name)).job).toMatchObject({ state: 'paused', next_runs: [] })
  expect((await resumeJob(desk.ctx, name)).job).toMatchObject({ state: 'completed', next_run_at: null })
})

test('a completed job cannot be paused, also when its last time is settled by the attempt', async () => {
  const name = await desk.job({ at: '2027-01-15T12:30:00Z' })
  desk.at('2027-01-15T12:30:00Z')
  await expect(pauseJob(desk.ctx, name)).rejects.toMatchObject({ code: 'job_completed', status: 409 })
  await desk.tick()
  await expect(pauseJob(desk.ctx, name)).rejects.toMatchObject({ code: 'job_completed' })
  expect((await resumeJob(desk.ctx, name)).job.state).toBe('completed')
})

test('pausing a paused job and resuming an active one change nothing', async () => {
  const name = await desk.job()
  const first = await pauseJob(desk.ctx, name)
  expect((await pauseJob(desk.ctx, name)).etag).toBe(first.etag)
  const second = await resumeJob(desk.ctx, name)
  expect((await resumeJob(desk.ctx, name)).etag).toBe(second.etag)
  const entries = (await auditRows(desk.sql, desk.ctx.organizationId)).filter(
    a => a.subject_id === first.job.id,
  )
  expect(entries.map(a => a.action)).toEqual(['job.create', 'job.pause', 'job.resume'])
  expect(await intervals(name)).toHaveLength(1)
})

test('a paused job can be run by hand, and stays paused', async () => {
  const name = await desk.job()
  await pauseJob(desk.ctx, name)
  await triggerJob(desk.ctx, name)
  expect((await desk.runs(name)).map(outcome)).toEqual(['pending'])
  expect((await getJob(desk.ctx, name)).job).toMatchObject({ state: 'paused', next_run_at: null })
})

test('is for operators and keys with run; conditions hold', async () => {
  const tenant = await makeTenant(desk.services)
  const ctx = tenant.as('owner')
  const { etag } = await putJob(ctx, 'job', { cron: '0 3 * * *', url: 'https://target.example/' })
  const allowed = ['operator', 'developer', 'admin', 'owner', 'key:run', 'key:write']
  expect(await whoMay(tenant, c => pauseJob(c, 'job'))).toEqual(allowed)
  expect(await whoMay(tenant, c => resumeJob(c, 'job'))).toEqual(allowed)
  await expect(pauseJob(ctx, 'job', { ifMatch: etag })).rejects.toMatchObject({ code: 'precondition_failed' })
  await expect(resumeJob(ctx, 'job', { ifMatch: etag })).rejects.toMatchObject({
    code: 'precondition_failed',
  })
})
