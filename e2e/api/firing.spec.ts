import { Target } from '../harness/target.ts'
import { expect, test } from '../harness/test.ts'
import { until } from '../harness/until.ts'

/** The database's clock and the test's are one machine's, read in whole milliseconds. */
const CLOCK_MS = 20

let target: Target

// A minute has to turn, so the job that waits for it is made before anything else here.
test.beforeAll(async ({ stack }) => {
  target = await Target.start()
  await stack.api.putJob('each-minute', { cron: '* * * * *', url: target.url('/each-minute') })
})

test.afterAll(() => target.close())

test('a job of every second gets one call for each second', async ({ api }) => {
  await api.putJob('each-second', {
    cron: '* * * * * *',
    dialect: 'extended',
    overlap: 'allow',
    url: target.url('/each-second'),
  })
  await target.received(8, '/each-second')
  await api.pause('each-second')
  const runs = await until(
    'every run has ended',
    () => api.runs('each-second'),
    seen => seen.every(run => run.state === 'succeeded'),
  )

  const calls = target.to('/each-second')
  const due = calls
    .map(call => Date.parse(String(call.headers['workly-scheduled-for'])))
    .sort((a, b) => a - b)
  expect(due.every(ms => ms % 1_000 === 0)).toBe(true)
  const first = due[0] ?? 0
  expect(due).toEqual(due.map((_, index) => first + index * 1_000))
  for (const call of calls) {
    expect(call.at).toBeGreaterThanOrEqual(
      Date.parse(String(call.headers['workly-scheduled-for'])) - CLOCK_MS,
    )
  }
  // One run for each call, and none without one.
  expect(runs.map(run => run.id).sort()).toEqual(
    calls.map(call => String(call.headers['workly-run-id'])).sort(),
  )
  expect(runs.every(run => run.trigger === 'schedule' && run.attempts_made === 1)).toBe(true)
})

test('a job every minute is called when the minute turns', async ({ api }) => {
  const job = await api.job('each-minute')
  const [call] = await target.received(1, '/each-minute', 75_000)
  const scheduledFor = Date.parse(String(call?.headers['workly-scheduled-for']))

  expect(scheduledFor % 60_000).toBe(0)
  expect(Date.parse(job.created_at)).toBeLessThan(scheduledFor)
  expect(scheduledFor - Date.parse(job.created_at)).toBeLessThanOrEqual(60_000)
  expect(call?.at).toBeGreaterThanOrEqual(scheduledFor - CLOCK_MS)
  expect(call?.at).toBeLessThan(scheduledFor + 60_000)

  const after = await api.job('each-minute')
  expect(Date.parse(after.next_run_at ?? '')).toBe(scheduledFor + 60_000)
  const run = await api.ended(String(call?.headers['workly-run-id']))
  expect(run).toMatchObject({ state: 'succeeded', trigger: 'schedule' })
})
