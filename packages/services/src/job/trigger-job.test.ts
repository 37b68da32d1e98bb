import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type Desk, openDesk, outcome } from '../../test/job-desk.ts'
import { PretendWorker } from '../../test/pretend-worker.ts'
import { auditRows, makeTenant, whoMay } from '../../test/tenants.ts'
import { getJob } from './get-job.ts'
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

test('makes a run at the present millisecond, and the schedule does not move', async () => {
  const name = await desk.job()
  const { next_run_at: next } = (await getJob(desk.ctx, name)).job
  desk.at('2027-01-15T12:00:00.123Z')
  const run = await triggerJob(desk.ctx, name)
  expect(run).toMatchObject({
    job: name,
    state: 'pending',
    trigger: 'manual',
    scheduled_for: '2027-01-15T12:00:00.123Z',
    request: { url: 'https://target.example/' },
    attempts: [],
  })
  expect((await getJob(desk.ctx, name)).job).toMatchObject({ next_run_at: next, last_run: { id: run.id } })
  expect((await auditRows(desk.sql, desk.ctx.organizationId)).at(-1)).toMatchObject({
    action: 'job.trigger',
    after: { run: run.id },
  })
})

test('moves on by a millisecond while the job has a run or a time there', async () => {
  const name = await desk.job({ cron: '1 12 * * *', overlap: 'allow' })
  // One millisecond before a time of the schedule: the first takes it, the second passes over the time.
  desk.at('2027-01-15T12:00:59.999Z')
  const first = await triggerJob(desk.ctx, name)
  const second = await triggerJob(desk.ctx, name)
  expect([first.scheduled_for, second.scheduled_for]).toEqual([
    '2027-01-15T12:00:59.999Z',
    '2027-01-15T12:01:00.001Z',
  ])
  desk.at('2027-01-15T12:01:00Z')
  const third = await triggerJob(desk.ctx, name)
  expect(third.scheduled_for).toBe('2027-01-15T12:01:00.002Z')
  // The time itself has its own run, which the trigger settled first.
  expect((await desk.runs(name)).map(r => [r.scheduled_for.toISOString().slice(17, 23), r.trigger])).toEqual([
    ['59.999', 'manual'],
    ['00.000', 'schedule'],
    ['00.001', 'manual'],
    ['00.002', 'manual'],
  ])
})

test('ten at once make ten runs, each at an instant of its own', async () => {
  const name = await desk.job({ overlap: 'allow' })
  const runs = await Promise.all(Array.from({ length: 10 }, () => triggerJob(desk.ctx, name)))
  expect(new Set(runs.map(r => r.scheduled_for)).size).toBe(10)
  expect(await desk.runs(name)).toHaveLength(10)
})

test('a time due at this instant is settled first, so that the run by hand does not make it overlap', async () => {
  const name = await desk.job({ cron: '*/10 * * * *', overlap: 'skip' })
  desk.at('2027-01-15T12:10:00Z')
  await triggerJob(desk.ctx, name)
  expect((await desk.runs(name)).map(r => [r.trigger, outcome(r)])).toEqual([
    ['schedule', 'pending'],
    ['manual', 'pending'],
  ])
})

test('runs a completed job too', async () => {
  const name = await desk.job({ at: '2027-01-15T12:30:00Z' })
  desk.at('2027-01-15T12:30:00Z')
  await desk.tick()
  const worker = await PretendWorker.start(desk.services)
  await worker.work()
  await triggerJob(desk.ctx, name)
  await worker.work()
  expect((await desk.runs(name)).map(outcome)).toEqual(['succeeded', 'succeeded'])
  expect((await getJob(desk.ctx, name)).job).toMatchObject({ state: 'completed', next_run_at: null })
})

test('is for operators and keys with run', async () => {
  const tenant = await makeTenant(desk.services)
  await putJob(tenant.as('owner'), 'job', {
    cron: '0 3 * * *',
    url: 'https://target.example/',
    overlap: 'allow',
  })
  expect(await whoMay(tenant, ctx => triggerJob(ctx, 'job'))).toEqual([
    'operator',
    'developer',
    'admin',
    'owner',
    'key:run',
    'key:write',
  ])
  await expect(triggerJob(desk.ctx, 'job')).rejects.toMatchObject({ code: 'not_found' })
})
