import { answer, FleetTarget, type LoggedCall } from '../../harness/fleet/fleet-target.ts'
import { changesAfterEnd, openRuns, runsOf } from '../../harness/fleet/internals.ts'
import { Load } from '../../harness/fleet/load.ts'
import { expect, test } from '../../harness/fleet/test.ts'
import { until } from '../../harness/until.ts'

const RUNS = 40

async function report(url: string, result: string): Promise<number> {
  const answered = await fetch(url, { method: 'POST', body: JSON.stringify({ result }) })
  await answered.body?.cancel()
  return answered.status
}

test('callbacks twenty-fold at once, late, and for the wrong run', async ({ fleet, fault }) => {
  const target = await FleetTarget.start((call, response) => answer(call, response, 202))
  const names = Array.from({ length: RUNS }, (_, n) => `called-back-${n}`)
  await Promise.all(
    names.map((name, n) =>
      fleet.client(n).putJob(name, {
        cron: '0 3 1 1 *',
        url: target.url('/later'),
        response: { callback: { max_wait_seconds: n % 4 === 3 ? 2 : 30 } },
        max_attempts: 1,
      }),
    ),
  )
  const load = await Load.start(fleet, { name: 'beside-callbacks' })
  fault.begins()
  await Promise.all(names.map((name, n) => fleet.client(n).trigger(name)))
  await target.total(RUNS)
  const of = (n: number) => target.calls.find(call => call.job === names[n]) as LoggedCall
  const other = (url: string, n: number) => url.replace('127.0.0.1', n % 2 ? 'localhost' : '127.0.0.1')
  for (let n = 0; n < RUNS; n++) {
    const url = of(n).callback ?? ''
    // A token of another run's attempt opens nothing.
    const wrong = url.replace(/[^/]+$/, (of((n + 1) % RUNS).callback ?? '').split('/').at(-1) ?? '')
    expect([401, 404]).toContain(await report(wrong, 'OK'))
    // Every fourth is left to run out.
    if (n % 4 === 3) continue
    const results = Array.from({ length: 20 }, (_, k) => (n % 4 === 2 && k % 2 ? 'ERROR' : 'OK'))
    const statuses = await Promise.all(results.map((result, k) => report(other(url, k), result)))
    expect(new Set(statuses)).toEqual(new Set([204]))
  }
  await until(
    'every run has ended',
    () => openRuns(fleet.sql, names, fleet.tenant.projectId),
    open => open === 0,
    60_000,
  )
  fault.ends()
  const before = await runsOf(fleet.sql, names, fleet.tenant.projectId)
  for (const [n, name] of names.entries()) {
    const run = before.find(seen => seen.job === name)
    if (n % 4 === 3) expect(run).toMatchObject({ state: 'failed', error_class: 'callback_timeout' })
    // Of an OK and an ERROR at once either may be first; the first counts.
    else if (n % 4 === 2) expect(['succeeded', 'failed']).toContain(run?.state)
    else expect(run).toMatchObject({ state: 'succeeded' })
    // Late: recorded, and nothing changes.
    expect(await report(of(n).callback ?? '', 'OK')).toBe(204)
  }
  expect(await runsOf(fleet.sql, names, fleet.tenant.projectId)).toEqual(before)
  expect(await changesAfterEnd(fleet.sql)).toEqual([])
  const late = await fleet.client().run(before.find(run => run.error_class === 'callback_timeout')?.id ?? '')
  expect(late.finished_out_of_time).toBe(true)
  await target.close()
  fault.take(await load.check())
  fault.note(`${RUNS * 20} callbacks`)
})
