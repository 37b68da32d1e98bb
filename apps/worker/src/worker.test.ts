import { TestReceiver } from '@workly/delivery/testing'
import { cancelRun, getJob, listRuns, putJob, retryRun, triggerJob } from '@workly/services'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { openWorkshop, type Workshop } from '../test/workshop.ts'

let shop: Workshop
let target: TestReceiver

beforeAll(async () => {
  shop = await openWorkshop()
  target = await TestReceiver.start()
  await shop.startWorker()
})
afterAll(async () => {
  await shop?.close()
  await target?.close()
})
beforeEach(() => {
  target.answer = {}
  target.requests.length = 0
})

const daily = { cron: '0 3 * * *', timezone: 'Europe/Stockholm' }

test('run now calls the target at once, with every header, signed so that Standard Webhooks verifies it', async () => {
  const { job } = await putJob(shop.ctx, 'nightly-report', {
    ...daily,
    url: target.url('/reports'),
    payload: { kind: 'daily' },
  })
  const run = await triggerJob(shop.ctx, 'nightly-report')
  const [request] = await target.received(1)
  expect(request?.method).toBe('POST')
  expect(request?.body.toString()).toBe('{"kind":"daily"}')
  expect(request?.headers).toMatchObject({
    'content-type': 'application/json',
    'user-agent': 'Workly/0.0.0-test',
    'workly-run-id': run.id,
    'workly-schedule': 'nightly-report',
    'workly-scheduled-for': run.scheduled_for,
    'workly-attempt': '1',
    'x-scheduler-jobid': job.id,
    'x-scheduler-scheduletime': run.scheduled_for,
    'webhook-id': run.id,
  })
  const verified = new Webhook(shop.signingSecret).verify(
    request?.body.toString() ?? '',
    request?.headers as Record<string, string>,
  )
  expect(verified).toEqual({ kind: 'daily' })
  const ended = await shop.runIn(run.id, 'succeeded')
  expect(ended.attempts).toHaveLength(1)
  expect(ended.attempts[0]).toMatchObject({ number: 1, state: 'succeeded', response: { status: 200 } })
  expect((await getJob(shop.ctx, 'nightly-report')).job.last_run).toMatchObject({
    id: run.id,
    state: 'succeeded',
  })
})

test('a failing target is tried again after the backoff, up to max_attempts, each attempt recorded', async () => {
  target.answer = { status: 500, body: '{"message":"out of paper"}' }
  await putJob(shop.ctx, 'failing', {
    ...daily,
    url: target.url('/'),
    max_attempts: 3,
    min_backoff_seconds: 1,
    backoff_multiplier: 1,
  })
  const run = await triggerJob(shop.ctx, 'failing')
  const ended = await shop.runIn(run.id, 'failed')
  expect(ended.attempts.map(a => [a.number, a.state, a.error?.class, a.response?.status])).toEqual([
    [1, 'failed', 'http_status', 500],
    [2, 'failed', 'http_status', 500],
    [3, 'failed', 'http_status', 500],
  ])
  expect(ended.error).toEqual({ class: 'http_status', message: 'out of paper' })
  const [first, second] = target.requests
  expect((second?.receivedAt ?? 0) - (first?.receivedAt ?? 0)).toBeGreaterThanOrEqual(1_000)
  expect(new Set(target.requests.map(r => r.headers['workly-run-id']))).toEqual(new Set([run.id]))
  expect(target.requests.map(r => r.headers['workly-attempt'])).toEqual(['1', '2', '3'])
})

test('a schedule fires by itself at its times, and each time has one run', async () => {
  const limits = shop.services.limits
  shop.services.limits = { ...limits, shortest_interval_seconds: 1 }
  await putJob(shop.ctx, 'each-second', {
    cron: '* * * * * *',
    dialect: 'extended',
    url: target.url('/tick'),
  })
  shop.services.limits = limits
  const requests = await target.received(3)
  const times = requests.map(r => r.headers['workly-scheduled-for'])
  expect(new Set(times).size).toBe(times.length)
  for (const r of requests) {
    const late = r.receivedAt - Date.parse(String(r.headers['workly-scheduled-for']))
    expect(late).toBeGreaterThanOrEqual(0)
    expect(late).toBeLessThan(5_000)
  }
  const { data } = await listRuns(shop.ctx, { job: 'each-second' })
  expect(new Set(data.map(r => r.scheduled_for)).size).toBe(data.length)
  await shop.test.sql`update jobs set next_run_at = null, state = 'paused' where name = 'each-second'`
})

test('cancelling a run aborts the call in flight', async () => {
  target.answer = 'hang'
  await putJob(shop.ctx, 'hanging', { ...daily, url: target.url('/') })
  const run = await triggerJob(shop.ctx, 'hanging')
  await target.received(1)
  const cancelled = await cancelRun(shop.ctx, run.id)
  expect(cancelled).toMatchObject({ state: 'cancelled', attempts: [{ state: 'cancelled' }] })
  target.answer = {}
  await retryRun(shop.ctx, run.id)
  const ended = await shop.runIn(run.id, 'succeeded')
  expect(ended.attempts.map(a => [a.number, a.state])).toEqual([
    [1, 'cancelled'],
    [2, 'succeeded'],
  ])
})

test('a secret header reaches the target and is masked in everything that is kept', async () => {
  const token = `tok-${crypto.randomUUID()}`
  target.answer = request => ({
    status: 500,
    headers: { 'x-echo': String(request.headers.authorization) },
    body: JSON.stringify({ message: `no: ${request.headers.authorization}` }),
  })
  await putJob(shop.ctx, 'secretive', {
    ...daily,
    url: target.url('/'),
    max_attempts: 1,
    headers: { Authorization: { secret: token } },
  })
  const run = await triggerJob(shop.ctx, 'secretive')
  const [request] = await target.received(1)
  expect(request?.headers.authorization).toBe(token)
  const ended = await shop.runIn(run.id, 'failed')
  expect(JSON.stringify(ended)).not.toContain(token)
  expect(ended.error?.message).toBe('no: ••••')
  const rows = await shop.test
    .sql`select row_to_json(r) as r, row_to_json(a) as a, encode(a.response_body, 'escape') as b from runs r join attempts a on a.run_id = r.id where r.id = ${run.id}`
  expect(JSON.stringify(rows)).not.toContain(token)
})
