import { FleetTarget } from '../../harness/fleet/fleet-target.ts'
import { attemptsOf, workerAt } from '../../harness/fleet/internals.ts'
import { Load } from '../../harness/fleet/load.ts'
import { expect, test } from '../../harness/fleet/test.ts'
import { until } from '../../harness/until.ts'

test('kill -9 of a worker in the middle of its calls', async ({ fleet, fault }) => {
  const load = await Load.start(fleet, { name: 'one-killed' })
  // A call that does not end by itself before its worker does.
  const held = Promise.withResolvers<string>()
  const holding = await FleetTarget.start(call => held.resolve(call.run))
  await fleet.client().putJob('held', { cron: '0 3 1 1 *', url: holding.url('/held'), timeout_seconds: 60 })
  const { id } = await fleet.client().trigger('held')
  const pid = await workerAt(fleet.sql, await held.promise)
  const victim = fleet.workers.find(worker => worker.pid === pid)
  expect(victim, 'the worker in the middle of the call').toBeDefined()
  fault.begins()
  await victim?.kill()
  await until(
    'another calls again',
    async () => holding.calls.length,
    calls => calls === 2,
    30_000,
  )
  expect((await attemptsOf(fleet.sql, ['held'], fleet.tenant.projectId)).map(a => a.state)).toEqual([
    'lost',
    'running',
  ])
  await fleet.client().call('POST', `/v1/runs/${id}/cancel`)
  await holding.close()
  await load.rounds(25)
  await fleet.completeWorkers()
  await load.rounds(2)
  const outcome = await load.check()
  fault.take(outcome)
  expect(fault.measured.recovered_s).toBeLessThan(30)
})

test('kill -9 of all workers at once, started again at once', async ({ fleet, fault }) => {
  const load = await Load.start(fleet, { name: 'all-killed' })
  fault.begins()
  await Promise.all(fleet.workers.map(worker => worker.kill()))
  await fleet.completeWorkers()
  fault.ends()
  await load.rounds(25)
  // A worker that has just started declares nobody dead before it has reached the database for a whole lease.
  const outcome = await load.check({ outageMs: fault.lastedMs + 15_000 })
  fault.take(outcome)
  expect(fault.measured.lost).toBeGreaterThan(0)
})
