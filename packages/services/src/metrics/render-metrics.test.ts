import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Desk, openDesk } from '../../test/job-desk.ts'
import { broken, failing, OK, PretendWorker } from '../../test/pretend-worker.ts'
import { PrometheusText } from '../../test/prometheus-text.ts'
import { fresh, makeTenant } from '../../test/tenants.ts'
import { expireWaits } from '../callback/expire-waits.ts'
import type { ProjectContext } from '../context.ts'
import { deleteJob } from '../job/delete-job.ts'
import { patchJob } from '../job/patch-job.ts'
import { pauseJob } from '../job/pause-job.ts'
import { putJob } from '../job/put-job.ts'
import { triggerJob } from '../job/trigger-job.ts'
import { cancelRun } from '../run/cancel-run.ts'
import { rescueRuns } from '../run/rescue-runs.ts'
import { retryRun } from '../run/retry-run.ts'
import { renderOperatorMetrics } from './render-operator-metrics.ts'
import { renderProjectMetrics } from './render-project-metrics.ts'

let desk: Desk
let ctx: ProjectContext
beforeAll(async () => {
  desk = await openDesk()
})
afterAll(() => desk?.drop())

/** A project of its own for each test, so that its counters start at nothing. */
async function ownProject(): Promise<void> {
  await desk.clear()
  await desk.sql`delete from counters`
  ctx = (await makeTenant(desk.services)).as('owner')
}

const ofProject = async () => new PrometheusText(await renderProjectMetrics(ctx))
const ofAll = async () => new PrometheusText(await renderOperatorMetrics(desk.services))

async function job(settings: object = {}, name = fresh('job')): Promise<string> {
  await putJob(ctx, name, { cron: '0 3 * * *', url: 'https://target.example/', max_attempts: 1, ...settings })
  return name
}

test('a job shows when it last succeeded and failed, how its runs ended, and when it is next', async () => {
  await ownProject()
  const name = await job()
  const worker = await PretendWorker.start(desk.services)
  await triggerJob(ctx, name)
  await worker.work(OK)
  const succeededAt = desk.now().getTime() / 1000
  desk.advance(60_000)
  await triggerJob(ctx, name)
  await worker.work(failing(500))
  const metrics = await ofProject()
  const labels = { project: 'main', schedule: name }
  expect(metrics.family('workly_schedule_last_success_timestamp_seconds')).toMatchObject({
    type: 'GAUGE',
    metrics: [{ labels, value: String(succeededAt) }],
  })
  expect(metrics.value('workly_schedule_last_failure_timestamp_seconds', labels)).toBe(succeededAt + 60)
  expect(metrics.value('workly_schedule_consecutive_failures', labels)).toBe(1)
  expect(metrics.value('workly_schedule_state', { ...labels, state: 'active' })).toBe(1)
  const states = metrics.family('workly_schedule_runs_total').metrics
  expect(states.map(m => [m.labels?.state, m.value])).toEqual([
    ['succeeded', '1'],
    ['failed', '1'],
    ['cancelled', '0'],
    ['skipped', '0'],
  ])
  const next = metrics.value('workly_schedule_next_run_timestamp_seconds', labels) ?? 0
  expect(next % 86_400).toBe(3 * 3600)
})

test('a job that never succeeded has no last success, a paused one no next time, a deleted one nothing', async () => {
  await ownProject()
  const name = await job()
  const gone = await job()
  await pauseJob(ctx, name)
  await deleteJob(ctx, gone)
  const metrics = await ofProject()
  expect(metrics.family('workly_schedule_last_success_timestamp_seconds').metrics).toEqual([])
  expect(metrics.family('workly_schedule_next_run_timestamp_seconds').metrics).toEqual([])
  expect(metrics.value('workly_schedule_state', { schedule: name, state: 'paused' })).toBe(1)
  expect(metrics.family('workly_schedule_state').metrics).toHaveLength(1)
})

test("a project's metrics hold nothing of another's", async () => {
  await ownProject()
  await job()
  await triggerJob(ctx, await job())
  ctx = (await makeTenant(desk.services)).as('viewer')
  const metrics = await ofProject()
  expect(metrics.family('workly_schedule_state').metrics).toEqual([])
  expect(metrics.family('workly_runs_total').metrics).toEqual([])
  expect(metrics.value('workly_queue_depth', { stage: 'admitted' })).toBe(0)
})

/** `state/class` and how many, of runs or attempts. */
const counts = (metrics: PrometheusText, name: string) =>
  Object.fromEntries(
    metrics.family(name).metrics.map(m => [`${m.labels?.state}/${m.labels?.class}`, Number(m.value)]),
  )

test('runs and attempts are counted by state and class, each end once, whichever way they ended', async () => {
  await ownProject()
  const worker = await PretendWorker.start(desk.services)
  const one = async (settings: object = {}) => (await triggerJob(ctx, await job(settings))).id
  await one()
  await worker.work(OK)
  await one({ max_attempts: 2, min_backoff_seconds: 0 })
  await worker.work(failing(503))
  const failed = await one()
  await worker.work(broken('dns'))
  await retryRun(ctx, failed)
  await worker.work(OK)
  // Cancelled before it began, and while it was called.
  await cancelRun(ctx, await one())
  const begun = await one()
  await worker.take()
  await cancelRun(ctx, begun)
  // Deleted with its job while it was called.
  const doomed = await job()
  await triggerJob(ctx, doomed)
  await worker.take()
  await deleteJob(ctx, doomed)
  // Handed over at a stop, and finished by another worker.
  await one()
  await worker.take()
  await worker.stop()
  await (await PretendWorker.start(desk.services)).work(OK)

  for (const metrics of [await ofProject(), await ofAll()]) {
    expect(counts(metrics, 'workly_runs_total')).toEqual({
      'cancelled/': 3,
      'failed/dns': 1,
      'failed/http_status': 1,
      'succeeded/': 3,
    })
    expect(counts(metrics, 'workly_attempts_total')).toEqual({
      'cancelled/cancelled': 2,
      'failed/dns': 1,
      'failed/http_status': 2,
      'lost/lost': 1,
      'succeeded/ok': 3,
    })
  }
})

test('a run lost three times to dead workers is counted as failed, and so are its attempts', async () => {
  await ownProject()
  await triggerJob(ctx, await job())
  for (let i = 0; i < 3; i++) {
    const worker = await PretendWorker.start(desk.services)
    expect(await worker.take()).toHaveLength(1)
    desk.advance(60_000)
    await rescueRuns(desk.services, true)
  }
  const metrics = await ofProject()
  expect(counts(metrics, 'workly_runs_total')).toEqual({ 'failed/lost': 1 })
  expect(counts(metrics, 'workly_attempts_total')).toEqual({ 'lost/lost': 3 })
  expect(metrics.value('workly_start_delay_seconds_count')).toBe(1)
})

test('skipped runs are counted with why: missed, overlap, superseded in a queue, by an edit', async () => {
  await ownProject()
  desk.at(new Date(Math.ceil(desk.now().getTime() / 3_600_000) * 3_600_000 + 1).toISOString())
  const skipping = await job({ cron: '* * * * *', overlap: 'skip' })
  const queueing = await job({ cron: '* * * * *', overlap: 'queue' })
  const edited = await job({ cron: '* * * * *', overlap: 'allow' })
  for (let i = 0; i < 3; i++) {
    desk.advance(60_000)
    await desk.tick()
  }
  expect(counts(await ofProject(), 'workly_runs_total')).toEqual({ 'skipped/overlap': 2 + 1 })
  await patchJob(ctx, edited, { overlap: 'queue' })
  expect(counts(await ofProject(), 'workly_runs_total')).toEqual({ 'skipped/overlap': 3 + 1 })
  for (const name of [queueing, edited]) await pauseJob(ctx, name)
  desk.advance(3_600_000)
  await desk.tick()
  const metrics = await ofProject()
  // Of the missed hour one time is recorded, and the one on time finds the first run still going.
  expect(counts(metrics, 'workly_runs_total')).toMatchObject({ 'skipped/missed': 1 })
  const rows = await desk.sql<{ skips: number }[]>`
    select runs_skipped as skips from jobs where name = ${skipping} and deleted_at is null`
  expect(metrics.value('workly_schedule_runs_total', { schedule: skipping, state: 'skipped' })).toBe(
    rows[0]?.skips,
  )
})

test('how late runs start is counted once per run, in the right buckets; retries and backfills are not', async () => {
  await ownProject()
  const worker = await PretendWorker.start(desk.services)
  const run = await triggerJob(ctx, await job({ max_attempts: 2, min_backoff_seconds: 0 }))
  desk.advance(400)
  await worker.renew()
  await worker.work(failing(500))
  desk.advance(86_400_000)
  await retryRun(ctx, run.id)
  await worker.work(failing(500))
  const late = await triggerJob(ctx, await job())
  desk.advance(7_200_000)
  await worker.work(OK)
  expect(late.id).not.toBe(run.id)
  const metrics = await ofProject()
  const labels = { project: 'main' }
  expect(metrics.value('workly_start_delay_seconds_count', labels)).toBe(2)
  expect(metrics.value('workly_start_delay_seconds_sum', labels)).toBe(7200.4)
  const bounds = ['0.25', '0.5', '3600', '+Inf']
  const buckets = bounds.map(le => metrics.value('workly_start_delay_seconds_bucket', { ...labels, le }))
  expect(buckets).toEqual([0, 1, 1, 2])
  expect((await ofAll()).family('workly_start_delay_seconds')).toMatchObject({
    type: 'HISTOGRAM',
    metrics: [{ count: '2', sum: '7200.4' }],
  })
})

test('an attempt that waits for its callback counts once: its start and its call with the response, its end later', async () => {
  await ownProject()
  const worker = await PretendWorker.start(desk.services)
  const waiting = async () => {
    const run = await triggerJob(ctx, await job({ response: { callback: { max_wait_seconds: 60 } } }))
    await worker.work()
    return run.id
  }
  const one = await waiting()
  const before = await ofProject()
  expect(counts(before, 'workly_attempts_total')).toEqual({})
  expect(before.value('workly_start_delay_seconds_count')).toBe(1)
  await cancelRun(ctx, one)
  await waiting()
  desk.advance(61_000)
  await expireWaits(desk.services, 10)
  const metrics = await ofProject()
  expect(counts(metrics, 'workly_attempts_total')).toEqual({
    'cancelled/cancelled': 1,
    'failed/callback_timeout': 1,
  })
  expect(counts(metrics, 'workly_runs_total')).toEqual({ 'cancelled/': 1, 'failed/callback_timeout': 1 })
  expect(metrics.value('workly_start_delay_seconds_count')).toBe(2)
  expect(metrics.value('workly_delivery_duration_seconds_count')).toBe(2)
})

test('how long calls took is counted by the time they were measured to take', async () => {
  await ownProject()
  const worker = await PretendWorker.start(desk.services)
  const timed = (total: number | null) => ({
    timings: { dns: null, connect: null, tls: null, firstByte: null, total },
  })
  for (const total of [10, 11, 30_000, 9_999_999, null]) {
    await triggerJob(ctx, await job())
    await worker.work(timed(total))
  }
  const [duration] = (await ofAll()).family('workly_delivery_duration_seconds').metrics
  expect(duration).toMatchObject({ count: '4', sum: '10030.02' })
  expect(duration?.buckets).toMatchObject({
    '0.01': '1',
    '0.025': '2',
    '10': '2',
    '30': '3',
    '1800': '3',
    '+Inf': '4',
  })
})

test('the depth of the queue tells due, admitted and called runs apart, and workers that are alive', async () => {
  await ownProject()
  await desk.sql`update projects set limits = '{"project_calls_in_flight": 3}' where id = ${ctx.projectId}`
  const name = await job({ overlap: 'allow' })
  const worker = await PretendWorker.start(desk.services)
  for (let i = 0; i < 5; i++) await triggerJob(ctx, name)
  await worker.begin((await worker.fetch()).slice(0, 1))
  desk.advance(5_000)
  const stages = (metrics: PrometheusText) =>
    Object.fromEntries(
      metrics.family('workly_queue_depth').metrics.map(m => [m.labels?.stage, Number(m.value)]),
    )
  expect(stages(await ofProject())).toEqual({ due: 2, admitted: 2, calling: 1 })
  const metrics = await ofAll()
  expect(stages(metrics)).toEqual({ due: 2, admitted: 2, calling: 1 })
  expect(metrics.value('workly_queue_oldest_due_seconds')).toBeCloseTo(5, 1)
  expect(metrics.value('workly_workers_alive')).toBe(1)
  desk.advance(15_000)
  expect((await ofAll()).value('workly_workers_alive')).toBe(0)
})

test("a time that nobody claims shows as the schedule's lag", async () => {
  await ownProject()
  desk.at(new Date(Math.ceil(desk.now().getTime() / 86_400_000) * 86_400_000 + 1).toISOString())
  await job({ cron: '0 3 * * *' })
  expect((await ofAll()).value('workly_schedule_lag_seconds')).toBe(0)
  desk.advance(3 * 3_600_000 + 42_000 - 1)
  expect((await ofAll()).value('workly_schedule_lag_seconds')).toBe(42)
})

test("the operator's metrics have as many lines for a hundred jobs as for one", async () => {
  await ownProject()
  const worker = await PretendWorker.start(desk.services)
  const lines = async () => (await renderOperatorMetrics(desk.services)).split('\n').length
  await triggerJob(ctx, await job())
  await worker.work()
  const before = await lines()
  for (let i = 0; i < 20; i++) await triggerJob(ctx, await job())
  await worker.work()
  expect(await lines()).toBe(before)
})

test('two batches that count for the same projects in opposite orders both go through', async () => {
  await ownProject()
  const here = ctx
  const there = (await makeTenant(desk.services)).as('owner')
  const worker = await PretendWorker.start(desk.services)
  const both = async (first: ProjectContext, second: ProjectContext) => {
    const calls = []
    for (const each of [first, second]) {
      ctx = each
      await triggerJob(ctx, await job())
      calls.push(...(await worker.take()))
    }
    return calls
  }
  for (let round = 0; round < 20; round++) {
    const [a, b] = [await both(here, there), await both(there, here)]
    await Promise.all([worker.finish(a), worker.finish(b), desk.tick()])
  }
  expect(counts(await ofAll(), 'workly_runs_total')).toEqual({ 'succeeded/': 80 })
})

test('the operator’s metrics have as many lines for many jobs as for one, a project’s as many more as it has jobs', async () => {
  await ownProject()
  const lines = async () => ({
    all: (await renderOperatorMetrics(desk.services)).split('\n').length,
    project: (await renderProjectMetrics(ctx)).split('\n').length,
  })
  const worker = await PretendWorker.start(desk.services)
  const run = async () => {
    await triggerJob(ctx, await job())
    await worker.work(OK)
  }
  await run()
  const one = await lines()
  await run()
  const perJob = (await lines()).project - one.project
  expect(perJob).toBeGreaterThan(0)
  for (let i = 0; i < 20; i++) await run()
  expect(await lines()).toEqual({ all: one.all, project: one.project + 21 * perJob })
})
