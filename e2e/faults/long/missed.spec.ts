import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from '@playwright/test'
import type { Run } from '@workly/core'
import { Stack } from '../../harness/stack.ts'
import { Target } from '../../harness/target.ts'
import { until } from '../../harness/until.ts'

// A time is missed when it was due more than a minute ago as it is claimed. Only a Workly that is down for longer can
// show it, so this test has to wait that long.
const DOWN_MS = 130_000

let stack: Stack
let target: Target

test.beforeAll(async () => {
  target = await Target.start()
  stack = await Stack.start()
})

test.afterAll(async () => {
  await stack?.remove()
  await target?.close()
})

test('after more than a minute without a Workly the latest missed time counts, and those on time all run', async () => {
  const { api } = stack
  const minute = { interval_minutes: 1, url: target.url('/minute') }
  const hourly = () => ({ at: new Date(Date.now() + 20_000).toISOString(), url: target.url('/once') })
  await api.putJob('each-minute', minute)
  await api.putJob('each-second', {
    cron: '* * * * * *',
    dialect: 'extended',
    overlap: 'allow',
    url: target.url('/second'),
  })
  await api.putJob('skips', { ...hourly(), missed: 'skip' })
  await api.putJob('catches-up', hourly())
  await target.received(3, '/second')
  await stack.kill()
  const stoppedAt = Date.now()
  await delay(DOWN_MS)
  const startedAt = Date.now()
  await stack.start()

  await test.step('a single time is caught up by default, or recorded as skipped', async () => {
    const [caughtUp] = await until(
      'the missed time is caught up',
      () => api.runs('catches-up'),
      runs => runs[0]?.state === 'succeeded',
    )
    expect(caughtUp).toMatchObject({ trigger: 'schedule', skip_reason: null })
    const skipped = await api.runs('skips')
    expect(skipped).toMatchObject([{ state: 'skipped', skip_reason: 'missed' }])
    expect(target.to('/once')).toHaveLength(1)
    expect((await api.job('skips')).state).toBe('completed')
  })

  await test.step('every second of the last minute is run, the latest before it is recorded as missed', async () => {
    await api.pause('each-second')
    const runs = await until(
      'every run has ended',
      () => api.runs('each-second'),
      seen => seen.every(run => ['succeeded', 'skipped'].includes(run.state)),
      60_000,
    )
    const due = (run: Pick<Run, 'scheduled_for'> | undefined) => Date.parse(run?.scheduled_for ?? '')
    const skipped = runs.filter(run => run.state === 'skipped')
    expect(skipped).toMatchObject([{ skip_reason: 'missed' }])
    const missedAt = due(skipped[0])
    expect(missedAt).toBeGreaterThan(startedAt - 62_000)
    const later = runs.map(due).filter(ms => ms > missedAt)
    const earlier = runs.map(due).filter(ms => ms < missedAt)
    expect(later.reverse()).toEqual(later.map((_, index) => missedAt + (index + 1) * 1_000))
    expect(later.length).toBeGreaterThan(50)
    // What was missed before has no run: a server that was down does not make up for everything.
    expect(earlier.every(ms => ms <= stoppedAt)).toBe(true)
  })

  await test.step('a job of every minute keeps its beat', async () => {
    const runs = await api.runs('each-minute')
    const { created_at } = await api.job('each-minute')
    const anchor = Math.floor(Date.parse(created_at) / 1_000) * 1_000
    expect(runs.every(run => (Date.parse(run.scheduled_for) - anchor) % 60_000 === 0)).toBe(true)
    expect(runs.filter(run => run.state === 'skipped').map(run => run.skip_reason)).toEqual(['missed'])
  })
})
