import { TestReceiver } from '@workly/delivery/testing'
import { cancelRun, getJob, listRuns, putJob, recordCallback, retryRun, triggerJob } from '@workly/services'
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
  // The scheduled time is the same on every attempt, under both of its names.
  for (const name of ['workly-scheduled-for', 'x-scheduler-scheduletime'])
    expect(new Set(target.requests.map(r => r.headers[name]))).toEqual(new Set([run.scheduled_for]))
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
  const { run: cancelled } = await cancelRun(shop.ctx, run.id)
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

/** What a target does with the address in the `callback` header: here, hand it to the verb that the API's route calls. */
function report(url: string, result: string, description?: string): Promise<void> {
  const [attempt = '', token = ''] = new URL(url).pathname.split('/').slice(-2)
  return recordCallback(shop.services, attempt, { token }, { result, description: description ?? null })
}

test('a callback request waits without a worker until the target reports, and then is done', async () => {
  const response = { callback: { max_wait_seconds: 600 } }
  await putJob(shop.ctx, 'exporting', { ...daily, url: target.url('/export'), response })
  const run = await triggerJob(shop.ctx, 'exporting')
  const [request] = await target.received(1)
  const waiting = await shop.runWhere(run.id, r => r.attempts[0]?.state === 'waiting')
  expect(waiting).toMatchObject({ state: 'running', attempts: [{ response: { status: 200 } }] })
  expect(Date.parse(waiting.next_attempt_at ?? '')).toBeGreaterThan(Date.now() + 590_000)
  const url = String(request?.headers.callback)
  expect(url).toMatch(/^http:\/\/workly\.test\/v1\/callbacks\/att_\w+\/[\w-]{43}$/)
  await report(url, 'OK', '1204 rows')
  await report(url, 'ERROR')
  const ended = await shop.runIn(run.id, 'succeeded')
  expect(ended.attempts[0]).toMatchObject({
    state: 'succeeded',
    callback: { result: 'OK', description: '1204 rows' },
  })
})

test('a callback that comes before the response decides the attempt; the response is shown with it', async () => {
  let answer: () => void = () => undefined
  const after = new Promise<void>(resolve => {
    answer = resolve
  })
  target.answer = { status: 202, body: 'accepted', after }
  const response = { callback: { max_wait_seconds: 600 } }
  await putJob(shop.ctx, 'quick', { ...daily, url: target.url('/quick'), response })
  const run = await triggerJob(shop.ctx, 'quick')
  const [request] = await target.received(1)
  await report(String(request?.headers.callback), 'DONE')
  expect((await shop.runIn(run.id, 'succeeded')).attempts[0]?.response).toBeNull()
  answer()
  const shown = await shop.runWhere(run.id, r => r.attempts[0]?.response !== null)
  expect(shown).toMatchObject({
    state: 'succeeded',
    attempts: [{ response: { status: 202, body: 'accepted' } }],
  })
})

test('a callback of ERROR fails the attempt and is retried; a wait that runs out fails the run, and is kept when late', async () => {
  const response = { callback: { max_wait_seconds: 1 } }
  const settings = { ...daily, url: target.url('/train'), response, max_attempts: 2, min_backoff_seconds: 0 }
  await putJob(shop.ctx, 'training', settings)
  const run = await triggerJob(shop.ctx, 'training')
  await target.received(1)
  await report(String(target.requests[0]?.headers.callback), 'error', 'out of disk')
  await target.received(2)
  const failed = await shop.runIn(run.id, 'failed')
  expect(failed.attempts.map(a => a.error?.class)).toEqual(['callback_failed', 'callback_timeout'])
  expect(failed.attempts[0]?.error?.message).toBe('The callback said error: out of disk')
  await report(String(target.requests[1]?.headers.callback), 'OK')
  const late = await shop.runIn(run.id, 'failed')
  expect(late).toMatchObject({
    finished_out_of_time: true,
    late_result: { result: 'OK' },
    error: { class: 'callback_timeout' },
  })
  await report(String(target.requests[0]?.headers.callback), 'OK')
  expect((await shop.runIn(run.id, 'failed')).attempts[0]?.late_result).toBeNull()
})

test('twenty callbacks at once decide once', async () => {
  const response = { callback: { max_wait_seconds: 600 } }
  await putJob(shop.ctx, 'crowd', { ...daily, url: target.url('/crowd'), response, max_attempts: 1 })
  const run = await triggerJob(shop.ctx, 'crowd')
  const [request] = await target.received(1)
  const url = String(request?.headers.callback)
  await Promise.all(Array.from({ length: 20 }, (_, i) => report(url, i % 2 ? 'OK' : 'ERROR')))
  const ended = await shop.runIn(run.id, 'succeeded', 'failed')
  expect(ended.attempts).toHaveLength(1)
  const [job] = await shop.test
    .sql`select runs_succeeded + runs_failed as ended from jobs where name = 'crowd'`
  expect(job?.ended).toBe(1)
})

test('more callbacks at once than there are connections, for a request with a secret, are all taken', async () => {
  const response = { callback: { max_wait_seconds: 600 } }
  const headers = { Authorization: { secret: `tok-${crypto.randomUUID()}` } }
  await putJob(shop.ctx, 'secret-crowd', { ...daily, url: target.url('/crowd'), response, headers })
  const run = await triggerJob(shop.ctx, 'secret-crowd')
  const [request] = await target.received(1)
  const url = String(request?.headers.callback)
  await Promise.all(
    Array.from({ length: 30 }, () => report(url, 'OK', `sent ${headers.Authorization.secret}`)),
  )
  const ended = await shop.runIn(run.id, 'succeeded')
  expect(ended.attempts[0]?.callback).toMatchObject({ result: 'OK', description: 'sent ••••' })
})

test('cancelling a run that waits for its callback ends the wait; its report then changes nothing', async () => {
  const response = { callback: { max_wait_seconds: 600 } }
  await putJob(shop.ctx, 'given-up', { ...daily, url: target.url('/x'), response })
  const run = await triggerJob(shop.ctx, 'given-up')
  const [request] = await target.received(1)
  await shop.runWhere(run.id, r => r.attempts[0]?.state === 'waiting')
  await cancelRun(shop.ctx, run.id)
  await report(String(request?.headers.callback), 'OK')
  const ended = await shop.runIn(run.id, 'cancelled')
  expect(ended).toMatchObject({
    finished_out_of_time: false,
    attempts: [{ state: 'cancelled', late_result: { result: 'OK' } }],
  })
})
