import { expect, test } from '@playwright/test'
import type { RunListItem } from '@workly/core'
import { signal } from '../../harness/processes.ts'
import { Stack } from '../../harness/stack.ts'
import { Target } from '../../harness/target.ts'
import { until } from '../../harness/until.ts'

const JOBS = 20
const KILLS = 8

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

/** Waits for some more calls, so that each kill meets work under way. */
async function someCalls(path: string): Promise<void> {
  await target.received(target.to(path).length + 2 * JOBS, path, 60_000)
}

test('killing worker and PostgreSQL again and again loses no run and makes none twice', async () => {
  test.setTimeout(600_000)
  const { api } = stack
  // Every call takes a moment, so that some are always under way.
  target.reply = () => ({ after: new Promise(resolve => setTimeout(resolve, 200)) })
  const names = Array.from({ length: JOBS }, (_, n) => `beat-${n}`)
  for (const name of names) {
    await api.putJob(name, {
      cron: '* * * * * *',
      dialect: 'extended',
      overlap: 'allow',
      url: target.url('/beat'),
    })
  }
  for (let kill = 0; kill < KILLS; kill++) {
    await someCalls('/beat')
    const victim = kill % 3 === 2 ? stack.postgresPid() : await stack.workerPid()
    signal(victim, 'SIGKILL')
    await until(
      'the API answers',
      () =>
        api.call('GET', '/v1/jobs?limit=1').then(
          a => a.status,
          () => 0,
        ),
      status => status === 200,
    )
  }
  await someCalls('/beat')
  for (const name of names) await api.pause(name)

  for (const name of names) {
    const runs = await until(
      'every run has ended',
      () => everyRun(name),
      seen => seen.every(run => run.state === 'succeeded' || run.state === 'failed'),
      120_000,
    )
    const due = runs.map(run => Date.parse(run.scheduled_for)).sort((a, b) => a - b)
    const first = due[0] ?? 0
    expect(due, `${name} has one run for each second`).toEqual(due.map((_, index) => first + index * 1_000))
    const called = new Set(target.to('/beat').map(call => String(call.headers['workly-run-id'])))
    expect(runs.map(run => run.id).filter(id => !called.has(id))).toEqual([])
    // Only a call that three workers in a row died with may fail.
    expect(runs.filter(run => run.state === 'failed' && run.error?.class !== 'lost')).toEqual([])
  }
})

async function everyRun(name: string): Promise<RunListItem[]> {
  const runs: RunListItem[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page: { body: { data: RunListItem[]; next_cursor: string | null } } = await stack.api.call(
      'GET',
      `/v1/jobs/${name}/runs?limit=200${cursor && `&cursor=${encodeURIComponent(cursor)}`}`,
    )
    runs.push(...page.body.data)
    cursor = page.body.next_cursor
  }
  return runs
}
