import { setTimeout as delay } from 'node:timers/promises'
import { FleetTarget } from '../../harness/fleet/fleet-target.ts'
import { attemptsOf } from '../../harness/fleet/internals.ts'
import { Load } from '../../harness/fleet/load.ts'
import { expect, test } from '../../harness/fleet/test.ts'
import { until } from '../../harness/until.ts'

const BAD = 500

test.use({
  fleetOptions: {
    env: {
      WORKLY_LIMIT_PROJECT_CALLS_IN_FLIGHT: '1000',
      WORKLY_LIMIT_HOST_CALLS_IN_FLIGHT: '1000',
      WORKLY_LIMIT_REQUESTS_PER_SECOND: '1000',
      WORKLY_LIMIT_REQUEST_BURST: '1000',
    },
  },
})

test('500 targets that never answer, drip or reset', async ({ fleet, fault }) => {
  test.setTimeout(240_000)
  const bad = await FleetTarget.start(async (_call, response, number) => {
    if (number % 3 === 0) return // Never answers.
    if (number % 3 === 1) return void response.destroy()
    response.writeHead(200, { 'content-length': '1000' })
    while (!response.destroyed) {
      response.write('.')
      await delay(500)
    }
  })
  const names = Array.from({ length: BAD }, (_, n) => `bad-${n}`)
  for (let first = 0; first < BAD; first += 50) {
    await Promise.all(
      names.slice(first, first + 50).map((name, n) =>
        fleet.client(n).putJob(name, {
          cron: '0 3 1 1 *',
          url: bad.url('/bad'),
          timeout_seconds: 8,
          max_attempts: 1,
        }),
      ),
    )
  }
  const load = await Load.start(fleet, { name: 'beside-the-bad' })
  fault.begins()
  const ids = (await Promise.all(names.map((name, n) => fleet.client(n).trigger(name)))).map(run => run.id)
  await bad.total(BAD)
  const attempts = await until(
    'every bad call has ended',
    async () =>
      (await attemptsOf(fleet.sql, names, fleet.tenant.projectId)).filter(a => a.state !== 'running'),
    ended => ended.length === BAD,
    60_000,
  )
  fault.ends()
  expect(new Set(attempts.map(a => a.run_id))).toEqual(new Set(ids))
  expect(new Set(attempts.map(a => a.error_class))).toEqual(new Set(['timeout', 'reset']))
  await load.rounds(2)
  const outcome = await load.check()
  fault.take(outcome)
  // The good ones beside them had not to wait for a bad one to end.
  const took = outcome.runs.map(run => (run.finished_at?.getTime() ?? 0) - run.scheduled_for.getTime())
  expect(Math.max(...took)).toBeLessThan(8_000)
  await bad.close()
})
