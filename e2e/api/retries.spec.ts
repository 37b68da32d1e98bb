import type { Run } from '@workly/core'
import type { Client } from '../harness/client.ts'
import { type Call, type Reply, Target } from '../harness/target.ts'
import { expect, test } from '../harness/test.ts'

// The waits of these runs are the job settings' own defaults, so all of them are set going together.

/** Kernel timers and clocks are read in whole milliseconds. */
const CLOCK_MS = 20

let target: Target
const runs = new Map<string, Run>()

async function setGoing(api: Client, name: string): Promise<void> {
  await api.putJob(name, { cron: '0 3 * * *', url: target.url(`/${name}`) })
  runs.set(name, await api.trigger(name))
}

async function outcome(api: Client, name: string): Promise<Run> {
  return api.ended(runs.get(name)?.id ?? '')
}

function reply({ path }: Call): Reply {
  if (path === '/broken') {
    const headers = { 'content-type': 'application/json' }
    return { status: 500, headers, body: '{"message":"The disk is full."}' }
  }
  if (path === '/refusing') return { status: 404, body: 'no such report' }
  if (path === '/moved') return { status: 302, headers: { location: 'https://elsewhere.example/' } }
  return target.to(path).length === 1 ? { status: 429, headers: { 'retry-after': '8' } } : { status: 200 }
}

test.beforeAll(async ({ stack }) => {
  target = await Target.start()
  target.reply = reply
  await Promise.all(['broken', 'refusing', 'moved', 'busy'].map(name => setGoing(stack.api, name)))
})

test.afterAll(() => target.close())

test('a 4xx is not retried', async ({ api }) => {
  const run = await outcome(api, 'refusing')

  expect(run).toMatchObject({
    state: 'failed',
    error: { class: 'http_status' },
    attempts: [{ number: 1, state: 'failed', response: { status: 404, body: 'no such report' } }],
  })
  expect(run.attempts).toHaveLength(1)
  expect(target.to('/refusing')).toHaveLength(1)
})

test('a redirect is not followed, and its failure says where it pointed', async ({ api }) => {
  const run = await outcome(api, 'moved')

  expect(run).toMatchObject({ state: 'failed', error: { class: 'http_status' } })
  expect(run.error?.message).toContain('https://elsewhere.example/')
  expect(target.to('/moved')).toHaveLength(1)
})

test('a 429 is retried when its Retry-After is over, and the run says why', async ({ api }) => {
  const run = await outcome(api, 'busy')
  const [first, second] = target.to('/busy')

  expect(run).toMatchObject({
    state: 'succeeded',
    error: null,
    attempts: [
      { number: 1, state: 'failed', response: { status: 429 }, error: { class: 'http_status' } },
      { number: 2, state: 'succeeded', response: { status: 200 } },
    ],
  })
  expect(run.attempts[0]?.next_attempt_reason).toContain('Retry-After')
  expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(8_000 - CLOCK_MS)
})

test('a 500 is tried three times, 5 and 10 seconds apart, then the run has failed', async ({ api }) => {
  const run = await outcome(api, 'broken')
  const calls = target.to('/broken')

  expect(run).toMatchObject({
    state: 'failed',
    error: { class: 'http_status', message: 'The disk is full.' },
    attempts: [1, 2, 3].map(number => ({
      number,
      state: 'failed',
      error: { class: 'http_status', message: 'The disk is full.' },
      response: { status: 500 },
    })),
  })
  expect(calls.map(call => call.headers['workly-attempt'])).toEqual(['1', '2', '3'])
  expect(new Set(calls.map(call => call.headers['workly-run-id']))).toEqual(new Set([run.id]))
  expect(new Set(calls.map(call => call.headers['x-scheduler-scheduletime'])).size).toBe(1)
  // Each attempt says when the next is due, and none comes before it is.
  for (const [index, wait] of [5_000, 10_000].entries()) {
    const attempt = run.attempts[index]
    const due = Date.parse(attempt?.next_attempt_at ?? '')
    const waited = due - Date.parse(attempt?.finished_at ?? '')
    expect(waited).toBeGreaterThanOrEqual(wait)
    // The wait begins when the result is written, which is soon after it has come.
    expect(waited).toBeLessThan(wait + 4_000)
    expect(calls[index + 1]?.at).toBeGreaterThanOrEqual(due - CLOCK_MS)
  }
  expect(run.attempts[2]?.next_attempt_at).toBeNull()
})
