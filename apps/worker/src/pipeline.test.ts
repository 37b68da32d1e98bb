import type { PipelineStep, Run } from '@workly/core'
import { verifySignature } from '@workly/core'
import { type Answer, type ReceivedRequest, TestReceiver } from '@workly/delivery/testing'
import { cancelRun, putJob, recordCallback, rescueRuns, retryRun, triggerJob } from '@workly/services'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { openWorkshop, type Workshop } from '../test/workshop.ts'
import type { RunningWorker } from './worker.ts'

let shop: Workshop
let target: TestReceiver
let worker: RunningWorker
/** How the target answers, by path; default: 200. */
let answers: Record<string, Answer>

beforeAll(async () => {
  shop = await openWorkshop()
  target = await TestReceiver.start()
})
afterAll(async () => {
  await shop?.close()
  await target?.close()
})
beforeEach(async () => {
  answers = {}
  target.requests.length = 0
  target.answer = request => answers[request.url] ?? {}
  worker ??= await shop.startWorker()
})

const wait = { response: { callback: { max_wait_seconds: 600 } } }

/** A step that calls the path of its id. */
const step = (id: string, more: Partial<PipelineStep> = {}): PipelineStep => ({
  id,
  url: target.url(`/${id}`),
  payload: { step: id },
  ...more,
})

async function start(name: string, steps: PipelineStep[], more: object = {}): Promise<string> {
  await putJob(shop.ctx, name, { cron: '0 3 * * *', steps, max_attempts: 1, min_backoff_seconds: 0, ...more })
  return (await triggerJob(shop.ctx, name)).id
}

const paths = () => target.requests.map(request => request.url)
const states = (run: Run) => run.steps.map(s => `${s.id} ${s.state}`)

/** What a target does with the address in the `callback` header: here, hand it to the verb that the API's route calls. */
function report(request: ReceivedRequest | undefined, result: string): Promise<void> {
  const [attempt = '', token = ''] = new URL(String(request?.headers.callback)).pathname.split('/').slice(-2)
  return recordCallback(shop.services, attempt, { token }, { result })
}

test('steps run in order: a sync step hands over on its response, a callback step when its target reports', async () => {
  const id = await start('mixed', [
    step('load'),
    step('train', wait),
    step('check', { method: 'PUT' }),
    step('tell', wait),
  ])
  await target.received(2)
  const waiting = await shop.runWhere(id, run => run.attempts[1]?.state === 'waiting')
  expect(states(waiting)).toEqual(['load succeeded', 'train running', 'check pending', 'tell pending'])
  expect(paths()).toEqual(['/load', '/train'])
  await report(target.requests[1], 'TRAINED')
  await target.received(4)
  await shop.runWhere(id, run => run.attempts[3]?.state === 'waiting')
  await report(target.requests[3], 'OK')
  const run = await shop.runIn(id, 'succeeded')
  expect(target.requests.map(r => `${r.method} ${r.url} ${r.body}`)).toEqual([
    'POST /load {"step":"load"}',
    'POST /train {"step":"train"}',
    'PUT /check {"step":"check"}',
    'POST /tell {"step":"tell"}',
  ])
  expect(run.steps.map(s => [s.state, s.result])).toEqual([
    ['succeeded', null],
    ['succeeded', 'TRAINED'],
    ['succeeded', null],
    ['succeeded', 'OK'],
  ])
})

test('every step’s call names its step and is signed under it, so that a target which drops repeats keeps step 2', async () => {
  const id = await start('signed', [step('one'), step('two_b')])
  const run = await shop.runIn(id, 'succeeded')
  const seen = new Set<string>()
  for (const [i, name] of ['one', 'two_b'].entries()) {
    const request = target.requests[i]
    const headers = request?.headers as Record<string, string>
    expect(headers).toMatchObject({
      'workly-run-id': id,
      'workly-step': name,
      'workly-attempt': '1',
      'workly-schedule': 'signed',
      'x-scheduler-jobid': `${run.job_id}/${name}`,
      'x-scheduler-scheduletime': run.scheduled_for,
      'webhook-id': `${id}_${name}`,
    })
    const body = request?.body.toString() ?? ''
    expect(new Webhook(shop.signingSecret).verify(body, headers)).toEqual({ step: name })
    const now = Math.floor(Date.now() / 1000)
    expect(verifySignature({ headers, body, secret: shop.signingSecret, now }).runId).toBe(id)
    seen.add(String(headers['webhook-id']))
  }
  expect(seen.size).toBe(2)
})

test('a step that fails for good stops the run; a retry from it calls the earlier ones no more, a whole one does', async () => {
  answers['/train'] = { status: 500, body: '{"message":"no data"}' }
  const steps = [step('load'), step('train', { max_attempts: 2 }), step('tell')]
  const id = await start('failing', steps)
  const failed = await shop.runIn(id, 'failed')
  expect(paths()).toEqual(['/load', '/train', '/train'])
  expect(states(failed)).toEqual(['load succeeded', 'train failed', 'tell not_run'])
  expect(failed.error).toEqual({ class: 'http_status', message: 'Step train: no data' })
  expect(failed.steps[1]?.error).toEqual({ class: 'http_status', message: 'no data' })
  answers = {}
  await retryRun(shop.ctx, id, { from_step: 'failed' })
  const retried = await shop.runIn(id, 'succeeded')
  expect(paths().slice(3)).toEqual(['/train', '/tell'])
  expect(target.requests.map(r => r.headers['workly-attempt'])).toEqual(['1', '1', '2', '3', '1'])
  expect(retried.steps.map(s => s.attempts_made)).toEqual([1, 3, 1])
  await retryRun(shop.ctx, id)
  await shop.runWhere(id, run => run.state === 'succeeded' && run.attempts_made === 8)
  expect(paths().slice(5)).toEqual(['/load', '/train', '/tell'])
})

test('cancelling a run breaks off the call of its step; nothing more is called, and a retry goes on from there', async () => {
  answers['/train'] = 'hang'
  const id = await start('cancelled', [step('load'), step('train'), step('tell')])
  await target.received(2)
  const { run: cancelled } = await cancelRun(shop.ctx, id)
  expect(states(cancelled)).toEqual(['load succeeded', 'train cancelled', 'tell not_run'])
  expect(cancelled.attempts.map(a => a.state)).toEqual(['succeeded', 'cancelled'])
  answers = {}
  await retryRun(shop.ctx, id, { from_step: 'failed' })
  await shop.runIn(id, 'succeeded')
  expect(paths()).toEqual(['/load', '/train', '/train', '/tell'])
})

test('a secret header of a step reaches that step alone, and is masked in what is kept', async () => {
  const token = `tok-${crypto.randomUUID()}`
  answers['/b'] = { body: `you sent ${token}` }
  const id = await start('secretive', [step('a'), step('b', { headers: { 'X-Key': { secret: token } } })])
  const run = await shop.runIn(id, 'succeeded')
  expect(target.requests.map(r => r.headers['x-key'])).toEqual([undefined, token])
  expect(run.attempts[1]?.response?.body).toBe('you sent ••••')
})

test('fifty steps run through, each once and in order', async () => {
  const ids = Array.from({ length: 50 }, (_, i) => `step-${i}`)
  const id = await start(
    'long',
    ids.map(name => step(name)),
  )
  await shop.runIn(id, 'succeeded')
  expect(paths()).toEqual(ids.map(name => `/${name}`))
})

test('a worker that stops lets its step end and begins no other; the next worker goes on with the next step', async () => {
  const held = Promise.withResolvers<void>()
  answers['/load'] = { after: held.promise }
  const id = await start('stopped', [step('load'), step('train', wait), step('tell')])
  await target.received(1)
  const stopped = worker.stop()
  held.resolve()
  await stopped
  const between = await shop.runWhere(id, run => run.steps[0]?.state === 'succeeded')
  expect(states(between)).toEqual(['load succeeded', 'train pending', 'tell pending'])
  expect(paths()).toEqual(['/load'])
  worker = await shop.startWorker()
  await target.received(2)
  await shop.runWhere(id, run => run.attempts[1]?.state === 'waiting')
  // The report comes while no worker is there at all.
  await worker.stop()
  await report(target.requests[1], 'OK')
  worker = await shop.startWorker()
  const run = await shop.runIn(id, 'succeeded')
  expect(paths()).toEqual(['/load', '/train', '/tell'])
  expect(run.attempts.map(a => a.state)).toEqual(['succeeded', 'succeeded', 'succeeded'])
})

test('a worker that stops without time to wait has its step called again by the next', async () => {
  await worker.stop()
  worker = await shop.startWorker({ shutdownGraceMs: 0 })
  answers['/train'] = 'hang'
  const id = await start('cut-off', [step('load'), step('train')])
  await target.received(2)
  await worker.stop()
  answers = {}
  worker = await shop.startWorker()
  const run = await shop.runIn(id, 'succeeded')
  expect(run.attempts.map(a => `${a.step}#${a.number} ${a.state}`)).toEqual([
    'load#1 succeeded',
    'train#1 lost',
    'train#2 succeeded',
  ])
  expect(paths()).toEqual(['/load', '/train', '/train'])
})

test('a worker that is taken for dead in the middle of a step loses that attempt; the step is called again, no other', async () => {
  answers['/train'] = 'hang'
  const id = await start('killed', [step('load'), step('train'), step('tell')])
  await target.received(2)
  answers = {}
  let lost = 0
  // Again and again, since the worker renews its lease all the while.
  while (lost === 0) {
    await shop.test
      .sql`update workers set lease_expires_at = now() - interval '1 minute' where id = ${worker.id}`
    lost = (await rescueRuns(shop.services, true)).lostAttempts
  }
  await worker.lost
  await worker.stop()
  worker = await shop.startWorker()
  const run = await shop.runIn(id, 'succeeded')
  expect(run.attempts.map(a => `${a.step}#${a.number} ${a.state}`)).toEqual([
    'load#1 succeeded',
    'train#1 lost',
    'train#2 succeeded',
    'tell#1 succeeded',
  ])
}, 60_000)
