import { expect, test } from '@playwright/test'
import { Gate } from '../harness/gate.ts'
import { isAlive } from '../harness/processes.ts'
import { Stack } from '../harness/stack.ts'
import { Target } from '../harness/target.ts'
import { until } from '../harness/until.ts'

let stack: Stack
let target: Target

test.beforeAll(async () => {
  test.setTimeout(300_000)
  target = await Target.start()
  stack = await Stack.start({ by: 'npm' })
})

test.afterAll(async () => {
  await stack?.remove()
  await target?.close()
})

test('after a kill -9 of npm start and all its processes, the next start goes on where they were', async () => {
  const { api, credentials } = stack
  const gate = new Gate()
  target.reply = call => (call.path === '/held' ? gate.holdFirstAttempts()(call) : {})
  await api.putJob('held', { cron: '0 3 * * *', url: target.url('/held'), tags: ['kept'], max_attempts: 1 })
  await api.putJob('paused', { cron: '* * * * *', url: target.url('/paused'), payload: { a: [1, 'ü'] } })
  const paused = await api.pause('paused')
  await api.putJob('each-second', {
    cron: '* * * * * *',
    dialect: 'extended',
    overlap: 'allow',
    url: target.url('/each-second'),
  })
  const { id } = await api.trigger('held')
  await target.received(1, '/held')
  await target.received(3, '/each-second')

  await stack.kill()
  const postgres = stack.postgresPid()
  expect(isAlive(postgres), 'PostgreSQL lives on').toBe(true)
  const before = target.to('/each-second').length
  await stack.start()

  expect(stack.postgresPid(), 'the same PostgreSQL is used again').toBe(postgres)
  expect(stack.credentials).toEqual(credentials)
  const { next_runs: _, ...settings } = paused
  expect(await api.job('paused')).toMatchObject(settings)
  await target.received(before + 5, '/each-second')
  await target.received(2, '/held', 40_000)
  gate.open()
  expect(await api.ended(id)).toMatchObject({
    state: 'succeeded',
    attempts: [
      { number: 1, state: 'lost' },
      { number: 2, state: 'succeeded' },
    ],
  })

  // Nothing was due more than a minute ago, so every second has its one run, those without a Workly too.
  await api.pause('each-second')
  const runs = await until(
    'every run has ended',
    () => api.runs('each-second'),
    seen => seen.every(run => run.state === 'succeeded'),
    60_000,
  )
  const due = runs.map(run => Date.parse(run.scheduled_for)).reverse()
  const first = due[0] ?? 0
  expect(due).toEqual(due.map((_, index) => first + index * 1_000))
  const called = new Set(target.to('/each-second').map(call => call.headers['workly-run-id']))
  expect([...called].sort()).toEqual(runs.map(run => run.id).sort())
  expect(target.to('/paused')).toHaveLength(0)
})

test('SIGTERM ends npm start, its worker and PostgreSQL with exit code 0', async () => {
  const postgres = stack.postgresPid()
  const worker = await stack.workerPid()

  expect(await stack.stop()).toBe(0)
  expect(isAlive(worker)).toBe(false)
  expect(isAlive(postgres)).toBe(false)
})
