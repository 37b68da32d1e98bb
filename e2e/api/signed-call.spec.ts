import type { Run } from '@workly/core'
import { Webhook, WebhookVerificationError } from 'standardwebhooks'
import type { Call } from '../harness/target.ts'
import { expect, test } from '../harness/test.ts'

function header(call: Call, name: string): string {
  const value = call.headers[name.toLowerCase()]
  if (typeof value !== 'string') throw new Error(`The call has no header ${name}.`)
  return value
}

test('Run now makes a signed call with every promised header, and the run tells all about it', async ({
  stack,
  api,
  target,
}) => {
  target.reply = () => ({
    status: 201,
    headers: { 'content-type': 'application/json', 'x-report': 'r-17' },
    body: '{"rows":12}',
  })
  const payload = { kind: 'daily', size: 12_345_678_901_234_567_890n.toString(), note: 'Grüße – 日本' }
  const job = await api.putJob('signed', {
    cron: '0 3 * * *',
    url: target.url('/hook?from=workly'),
    headers: { 'x-team': 'reports', 'x-token': { secret: 'hunter2' } },
    payload,
  })
  const before = Math.floor(Date.now() / 1000)
  const triggered = await api.trigger('signed')
  const [call] = await target.received(1, '/hook?from=workly')
  const run = await api.ended(triggered.id)
  if (call === undefined) throw new Error('No call has come.')

  await test.step('the request is the job’s', () => {
    expect(call.method).toBe('POST')
    expect(JSON.parse(call.body)).toEqual(payload)
    expect(header(call, 'content-type')).toBe('application/json')
    expect(header(call, 'content-length')).toBe(String(Buffer.byteLength(call.body)))
    expect(header(call, 'x-team')).toBe('reports')
    expect(header(call, 'x-token')).toBe('hunter2')
  })

  await test.step('the headers identify job, run, time and attempt', () => {
    expect(header(call, 'Workly-Run-Id')).toBe(run.id)
    expect(header(call, 'Workly-Schedule')).toBe('signed')
    expect(header(call, 'Workly-Attempt')).toBe('1')
    expect(header(call, 'X-Scheduler-JobId')).toBe(job.id)
    const scheduledFor = header(call, 'Workly-Scheduled-For')
    expect(scheduledFor).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{3})?Z$/)
    expect(Date.parse(scheduledFor)).toBe(Date.parse(run.scheduled_for))
    expect(header(call, 'X-Scheduler-ScheduleTime')).toBe(scheduledFor)
    expect(header(call, 'User-Agent')).toMatch(/^Workly\/\d+\.\d+\.\d+/)
    const timestamp = Number(header(call, 'Workly-Timestamp'))
    expect(timestamp).toBeGreaterThanOrEqual(before - 1)
    expect(timestamp).toBeLessThanOrEqual(Math.floor(call.at / 1000) + 1)
    for (const absent of ['callback', 'workly-step', 'workly-task-id', 'workly-queue'])
      expect(call.headers[absent]).toBeUndefined()
  })

  await test.step('the library of Standard Webhooks verifies it, and refuses another body', () => {
    const headers = {
      'webhook-id': header(call, 'webhook-id'),
      'webhook-timestamp': header(call, 'webhook-timestamp'),
      'webhook-signature': header(call, 'webhook-signature'),
    }
    expect(headers['webhook-id']).toBe(run.id)
    expect(headers['webhook-timestamp']).toBe(header(call, 'Workly-Timestamp'))
    expect(headers['webhook-signature']).toBe(header(call, 'Workly-Signature'))
    const webhook = new Webhook(stack.credentials.signingSecret)
    expect(webhook.verify(call.body, headers)).toEqual(payload)
    expect(() => webhook.verify(`${call.body} `, headers)).toThrow(WebhookVerificationError)
    expect(() => webhook.verify(call.body, { ...headers, 'webhook-id': 'run_other' })).toThrow(
      WebhookVerificationError,
    )
  })

  await test.step('the run has the call, its answer and its timings', () =>
    expectRecorded(run, target.url('')))
})

function expectRecorded(run: Run, origin: string): void {
  expect(run).toMatchObject({
    job: 'signed',
    state: 'succeeded',
    trigger: 'manual',
    error: null,
    skip_reason: null,
    request: {
      url: `${origin}/hook?from=workly`,
      method: 'POST',
      headers: { 'x-team': 'reports', 'x-token': { secret: '••••' } },
    },
    attempts: [
      {
        number: 1,
        state: 'succeeded',
        error: null,
        next_attempt_at: null,
        response: { status: 201, body: '{"rows":12}', body_encoding: 'utf8', truncated: false },
      },
    ],
  })
  const [attempt] = run.attempts
  expect(attempt?.response?.headers).toMatchObject({ 'x-report': 'r-17' })
  const { connect_ms, first_byte_ms, total_ms, tls_ms } = attempt?.timings ?? {}
  expect(connect_ms).toBeGreaterThanOrEqual(0)
  expect(first_byte_ms).toBeGreaterThan(0)
  expect(total_ms).toBeGreaterThanOrEqual(first_byte_ms ?? Number.POSITIVE_INFINITY)
  expect(tls_ms).toBeNull()
  const moments = [run.created_at, run.started_at, attempt?.started_at, attempt?.finished_at, run.finished_at]
  const instants = moments.map(moment => Date.parse(moment ?? ''))
  expect(instants.every(Number.isFinite), moments.join(' ')).toBe(true)
  expect(Date.parse(attempt?.finished_at ?? '')).toBeGreaterThanOrEqual(Date.parse(attempt?.started_at ?? ''))
  expect(JSON.stringify(run)).not.toContain('hunter2')
}
