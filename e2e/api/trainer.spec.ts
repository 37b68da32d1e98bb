import type { Locator, Page } from '@playwright/test'
import type { Execution, Job } from '@workly/core'
import type { Client } from '../harness/client.ts'
import { type Engine, expect, reporting, scripted, test } from '../harness/images.ts'
import { comingNight } from '../harness/nightly.ts'
import { ended as processesEnded, signal } from '../harness/processes.ts'
import type { Target } from '../harness/target.ts'
import { until } from '../harness/until.ts'
import { signIn } from '../journeys/sign-in.ts'

// A time-series trainer: a nightly pipeline that has data exported, trains on it in a container, and publishes.

const BASE = '/scheduler/organization/demo'
const MADRID = { expression: '0 0 2 * * * *', timeZone: 'Europe/Madrid' }
/** How long a container may take to be pulled, made and started on a busy machine, or to be gone. */
const CONTAINER_MS = 30_000

/** An export that calls back, a container that trains, and a request that publishes. */
function stepsOf(target: Target, train: object) {
  return [
    {
      id: 'export',
      restRequest: { method: 'POST', url: target.url('/export'), body: { kind: 'daily' } },
      response: { async: { maxTimeToWaitCallback: 600 } },
    },
    { id: 'train', imageExecution: train },
    { id: 'publish', restRequest: { method: 'PUT', url: target.url('/publish') } },
  ]
}

async function post201(api: Client, body: object): Promise<void> {
  const made = await api.call('POST', `${BASE}/pipeline`, body)
  expect(made.status, JSON.stringify(made.body)).toBe(201)
}

/** Makes the pipeline and runs it once, now. */
async function createTrainer(api: Client, target: Target, id: string, train: object): Promise<void> {
  const steps = stepsOf(target, train)
  await post201(api, { id, schedule: { cron: MADRID, executeNow: true }, pipeline: { steps } })
}

/** Makes the pipeline for every night in Madrid, where this night's time comes in a few seconds. @returns that time */
async function createNightly(api: Client, target: Target, id: string, train: object): Promise<string> {
  const steps = stepsOf(target, train)
  // A machine so busy that the time has passed before the pipeline is made gets a later one.
  for (const inMs of [4_000, 16_000, 60_000]) {
    const { cron, at } = comingNight(inMs)
    await post201(api, { id, schedule: { cron }, pipeline: { steps } })
    const { next_run_at: next } = await api.job(id)
    if (next !== null && Date.parse(next) === Date.parse(at)) return at
    const [made] = await api.runs(id)
    if (made && Date.parse(made.scheduled_for) === Date.parse(at)) return at
    await api.deleteJob(id)
  }
  throw new Error('the machine is too busy to make a pipeline within a minute')
}

/** The run came of the schedule at that time, and the next night's is a day later, as long as days in Madrid are. */
async function expectOfNight(api: Client, executionId: string, at: string): Promise<void> {
  const run = await api.run(executionId)
  expect(run).toMatchObject({ trigger: 'schedule' })
  expect(Date.parse(run.scheduled_for)).toBe(Date.parse(at))
  const { next_run_at: next, timezone } = await api.job(run.job)
  expect(timezone).toBe('Europe/Madrid')
  const hours = (Date.parse(next ?? '') - Date.parse(at)) / 3_600_000
  expect(hours).toBeGreaterThanOrEqual(23)
  expect(hours).toBeLessThanOrEqual(25)
  expect(await api.runs(run.job)).toHaveLength(1)
}

async function latest(api: Client, id: string): Promise<Execution | undefined> {
  return (await api.call<Execution[]>('GET', `${BASE}/history?schedulerId=${id}`)).body[0]
}

async function execution(api: Client, id: string, fits: (seen: Execution) => boolean): Promise<Execution> {
  const look = () => latest(api, id)
  const seen = await until(`the execution of ${id} is as wanted`, look, one => one !== undefined && fits(one))
  if (seen === undefined) throw new Error(`${id} was never executed`)
  return seen
}

const ended = (api: Client, id: string) => execution(api, id, seen => seen.state !== 'IN_PROGRESS')

/** Also by whoever takes it over from a worker that died, which takes its lease of 15 s and more. */
async function gone(engine: Engine, runId: string): Promise<void> {
  const look = () => engine.containersOf(runId)
  await until('the container is gone', look, left => left.length === 0, 45_000)
}

/** What counts down is seen at two times. */
async function expectCountdown(open: Locator): Promise<void> {
  await expect(open).toBeVisible()
  const before = (await open.textContent()) ?? ''
  await expect(open).not.toHaveText(before)
  const seconds = (text: string) => {
    const [, minutes, rest] = /(\d+):(\d\d)/.exec(text) ?? []
    return Number(minutes) * 60 + Number(rest)
  }
  expect(seconds((await open.textContent()) ?? '')).toBeLessThan(seconds(before))
  expect(seconds(before)).toBeLessThanOrEqual(600)
}

/** Those that came while the page was looked at are open already. */
async function openAttempt(page: Page, title: string): Promise<Locator> {
  const attempt = page.locator('details').filter({ has: page.getByText(title, { exact: true }) })
  if (!(await attempt.evaluate(details => details.hasAttribute('open'))))
    await attempt.getByText(title, { exact: true }).click()
  return attempt
}

async function post(address: string, body: object): Promise<number> {
  return (await fetch(address, { method: 'POST', body: JSON.stringify(body) })).status
}

/** What the export does when it is done: posts to the address that it was called with. */
async function exported(target: Target): Promise<string> {
  const [call] = await target.received(1, '/export')
  const callback = String(call?.headers.callback)
  expect(await post(callback, { result: 'OK', description: '602 series' })).toBe(204)
  return callback
}

test('a nightly trainer: the export calls back, the container trains and reports, and every view tells the same', async ({
  api,
  target,
  stack,
  engine,
  page,
}) => {
  const script = [
    'echo "training $MODEL with $TOKEN"',
    `wget -qO- "${target.url('/training')}?model=$MODEL&callback=$callbackUri"`,
    reporting({ result: 'OK', description: '1,204 rows' }),
  ].join('; ')
  const train = scripted(script, { MODEL: 'daily', TOKEN: { secret: 'canary-of-train' } })
  await signIn(page, stack)
  const at = await createNightly(api, target, 'trainer', train)
  const [call] = await target.received(1, '/export')
  expect(call).toMatchObject({ method: 'POST', body: '{"kind":"daily"}' })
  const going = await execution(api, 'trainer', seen => seen.state === 'IN_PROGRESS')
  expect(await engine.containersOf(going.executionId)).toEqual([])
  await expectOfNight(api, going.executionId, at)

  const callback = String(call?.headers.callback)
  await page.goto(`${stack.url}/demo/demo/runs/${going.executionId}`)
  await expectCountdown(page.getByText(/^Step export waits \d+:\d\d more for its callback$/))
  expect(await page.content()).not.toContain(callback.split('/').at(-1))
  const wrong = callback.slice(0, -1) + (callback.endsWith('A') ? 'B' : 'A')
  expect(await post(wrong, { result: 'ERROR' })).toBe(404)
  expect(await post(callback, { result: 'OK', description: '602 series' })).toBe(204)
  expect(await post(callback, { result: 'ERROR', description: 'a second word' })).toBe(204)

  const seen = await ended(api, 'trainer')
  expect(seen).toMatchObject({
    schedulerType: 'PIPELINE',
    schedulerId: 'trainer',
    state: 'FINISHED',
    steps: [
      { id: 'export', state: 'FINISHED', result: 'OK', description: '602 series' },
      { id: 'train', state: 'FINISHED', result: 'OK', description: '1,204 rows' },
      { id: 'publish', state: 'FINISHED', result: 'OK' },
    ],
  })
  expect(target.calls.map(one => one.path.split('?')[0])).toEqual(['/export', '/training', '/publish'])

  const [training] = target.calls.filter(one => one.path.startsWith('/training'))
  const { searchParams } = new URL(training?.path ?? '', 'http://target')
  const ofContainer = searchParams.get('callback') ?? ''
  expect(searchParams.get('model')).toBe('daily')
  expect(await post(ofContainer, { result: 'ERROR', description: 'a second word' })).toBe(204)
  expect(await post(`${ofContainer}x`, { result: 'ERROR' })).toBe(404)
  expect(await latest(api, 'trainer')).toEqual(seen)

  const run = await until(
    'the end of the container is told',
    () => api.run(seen.executionId),
    one => one.attempts[1]?.container != null,
    CONTAINER_MS,
  )
  expect(run).toMatchObject({
    job: 'trainer',
    trigger: 'schedule',
    state: 'succeeded',
    started_at: seen.start,
    finished_at: seen.end,
    steps: [
      { id: 'export', state: 'succeeded', result: 'OK' },
      { id: 'train', state: 'succeeded', result: 'OK' },
      { id: 'publish', state: 'succeeded' },
    ],
    attempts: [
      { number: 1 },
      { container: { exit_code: 0, log: 'training daily with ••••\n' } },
      { number: 1 },
    ],
  })
  await gone(engine, run.id)
  expect(await engine.madeFor(run.id)).toEqual({ created: 1, started: 1 })

  // The page that has shown the wait all the while shows how it went on.
  await expect(page.getByRole('status', { name: 'State of the run' })).toHaveText('Succeeded')
  await expect(page.getByText('export: OK, 602 series')).toBeVisible()
  await expect(page.getByText('train: OK, 1,204 rows')).toBeVisible()
  const rows = page.getByRole('table', { name: 'Steps of the pipeline' }).locator('tbody tr')
  for (const [place, id] of ['export', 'train', 'publish'].entries()) {
    await expect(rows.nth(place)).toContainText(new RegExp(`${id}.*Succeeded.*\\d`))
  }
  // Each step lies behind the one before in the waterfall: the bar's place within the run, from 0 to 1,000.
  const places = await rows.evaluateAll(all =>
    all.map(row => Number(row.querySelector('rect + rect')?.getAttribute('x'))),
  )
  expect(places).toEqual(places.toSorted((a, b) => a - b))
  expect(places[0]).toBe(0)
  expect(places[1]).toBeGreaterThan(0)
  const exporting = await openAttempt(page, 'Attempt 1 of export')
  const times = exporting.getByRole('table', { name: 'Where the time went' })
  await expect(times.getByRole('row', { name: /^Total/ })).toContainText('ms')
  const trained = await openAttempt(page, 'Attempt 1 of train')
  await expect(trained.getByRole('region', { name: 'log of attempt 1 of train', exact: true })).toHaveText(
    'training daily with ••••',
  )
  expect(await page.content()).not.toContain('canary-of-train')
  await page.goto(`${stack.url}/demo/demo/jobs`)
  await expect(page.getByRole('link', { name: 'trainer', exact: true })).toBeVisible()
})

test('every night at 02:00 in Madrid, on both sides of both changes of the clock', async ({ api }) => {
  const train = scripted('true')
  const nights = async (id: string, expression: string, from: string) => {
    const schedule = { cron: { expression, timeZone: 'Europe/Madrid' }, from }
    const made = await api.call('POST', `${BASE}/imageExecution`, { id, schedule, imageExecution: train })
    expect(made.status, JSON.stringify(made.body)).toBe(201)
    const job: Job = await api.job(id)
    await api.deleteJob(id)
    return job.next_runs.slice(0, 3).map(instant => new Date(instant).toISOString())
  }
  // 31 March 2030: there is no 02:00, the night's run is at 03:00, the first instant after the gap.
  expect(await nights('spring', '0 0 2 * * *', '2030-03-30T00:00:00Z')).toEqual([
    '2030-03-30T01:00:00.000Z',
    '2030-03-31T01:00:00.000Z',
    '2030-04-01T00:00:00.000Z',
  ])
  // 27 October 2030: there are two, the night's run is at the first.
  expect(await nights('autumn', '0 0 2 * * * *', '2030-10-26T00:00:00Z')).toEqual([
    '2030-10-26T00:00:00.000Z',
    '2030-10-27T00:00:00.000Z',
    '2030-10-28T01:00:00.000Z',
  ])
})

test('a container that exits with 3 before it reports is an ERROR that says so; a retry goes on from there', async ({
  api,
  target,
  engine,
}) => {
  let verdict = 'echo out of memory cells; exit 3'
  target.reply = call => (call.path === '/verdict' ? { body: verdict } : {})
  const script = `eval "$(wget -qO- ${target.url('/verdict')})"; ${reporting({ result: 'OK' })}`
  const at = await createNightly(api, target, 'fails', scripted(script))
  await exported(target)
  const failed = await ended(api, 'fails')
  expect(failed).toMatchObject({
    state: 'FINISHED',
    steps: [
      { id: 'export', result: 'OK' },
      { id: 'train', result: 'ERROR', description: 'The container exited with code 3.' },
      { id: 'publish', result: 'NOT_RUN' },
    ],
  })
  await expectOfNight(api, failed.executionId, at)
  const run = await api.run(failed.executionId)
  expect(run).toMatchObject({ state: 'failed', error: { class: 'container_exit' } })
  expect(run.attempts[1]?.container).toMatchObject({ exit_code: 3, log: 'out of memory cells\n' })

  verdict = 'true'
  const again = await api.call('POST', `/v1/runs/${run.id}/retry`, { from_step: 'failed' })
  expect(again.status, JSON.stringify(again.body)).toBe(200)
  expect(await ended(api, 'fails')).toMatchObject({
    executionId: run.id,
    state: 'FINISHED',
    steps: [{ result: 'OK' }, { result: 'OK' }, { result: 'OK' }],
  })
  expect(target.to('/export')).toHaveLength(1)
  expect(target.to('/publish')).toHaveLength(1)
  expect(await engine.madeFor(run.id)).toEqual({ created: 2, started: 2 })
})

test('a container that reports after the wait: FINISHED OUT OF TIME with what it said, and nothing is resumed', async ({
  api,
  target,
}) => {
  const gate = Promise.withResolvers<void>()
  target.reply = call => (call.path === '/hold' ? { after: gate.promise } : {})
  const script = `wget -qO- ${target.url('/hold')}; ${reporting({ result: 'OK', description: 'at last' })}`
  const train = { ...scripted(script), maxTimeToWaitCallback: 2 }
  const at = await createNightly(api, target, 'late', train)
  await exported(target)
  await target.received(1, '/hold', CONTAINER_MS)
  const expired = await ended(api, 'late')
  expect(expired).toMatchObject({
    state: 'FINISHED',
    steps: [{ result: 'OK' }, { result: 'TIMEOUT' }, { result: 'NOT_RUN' }],
  })
  await expectOfNight(api, expired.executionId, at)
  gate.resolve()
  expect(await execution(api, 'late', seen => seen.state === 'FINISHED OUT OF TIME')).toMatchObject({
    steps: [{ result: 'OK' }, { result: 'OK', description: 'at last' }, { result: 'NOT_RUN' }],
  })
  expect(target.to('/publish')).toHaveLength(0)
})

test('the cancel of a running image step answers 204 when its container is gone; the schedulation stays', async ({
  api,
  target,
  engine,
}) => {
  const gate = Promise.withResolvers<void>()
  target.reply = call => (call.path === '/hold' ? { after: gate.promise } : {})
  const train = scripted(`trap 'exit 0' TERM; wget -qO- ${target.url('/hold')} & wait`)
  await createTrainer(api, target, 'stopped', train)
  await exported(target)
  await target.received(1, '/hold', CONTAINER_MS)
  const { executionId } = await execution(api, 'stopped', seen => seen.state === 'IN_PROGRESS')
  expect(await engine.containersOf(executionId)).toHaveLength(1)

  const path = `${BASE}/pipeline/stopped/execution/${executionId}`
  expect((await api.call('DELETE', `${path}/publish`)).status).toBe(409)
  expect((await api.call('DELETE', `${path}/train`)).status).toBe(204)
  expect(await engine.containersOf(executionId)).toEqual([])
  gate.resolve()
  expect(await ended(api, 'stopped')).toMatchObject({
    state: 'FINISHED',
    steps: [{ result: 'OK' }, { result: 'CANCELLED' }, { result: 'NOT_RUN' }],
  })
  expect((await api.call('DELETE', `${path}/train`)).status).toBe(409)
  expect(await api.job('stopped')).toMatchObject({ state: 'active', next_run_at: expect.any(String) })
  const { body } = await api.call<{ id: string }[]>('GET', `${BASE}/pipeline`)
  expect(body.map(one => one.id)).toContain('stopped')
})

test('a worker killed while a callback is waited for and while a container runs: both go on, and nothing is started twice', async ({
  stack,
  api,
  target,
  engine,
}) => {
  const held = Promise.withResolvers<void>()
  target.reply = call => (call.path === '/hold' ? { after: held.promise } : {})
  const script = `wget -qO- ${target.url('/hold')}; ${reporting({ result: 'OK', description: 'adopted' })}`
  await createTrainer(api, target, 'contained', scripted(script))
  await exported(target)
  await target.received(1, '/hold', CONTAINER_MS)
  await createTrainer(api, target, 'awaited', scripted(reporting({ result: 'OK' })))
  const [, called] = await target.received(2, '/export')

  const killed = await stack.workerPid()
  signal(killed, 'SIGKILL')
  await processesEnded([killed])
  // The API takes it while there is no worker, or the next has not found the dead one yet.
  expect(await post(String(called?.headers.callback), { result: 'OK' })).toBe(204)
  held.resolve()
  for (const id of ['contained', 'awaited']) {
    const seen = await ended(api, id)
    expect(seen, id).toMatchObject({
      state: 'FINISHED',
      steps: [{ result: 'OK' }, { result: 'OK' }, { result: 'OK' }],
    })
    expect((await api.run(seen.executionId)).attempts, id).toHaveLength(3)
    await gone(engine, seen.executionId)
    expect(await engine.madeFor(seen.executionId), id).toEqual({ created: 1, started: 1 })
  }
  expect(target.to('/export')).toHaveLength(2)
  expect(target.to('/publish')).toHaveLength(2)
  expect(await stack.workerPid()).not.toBe(killed)
})
