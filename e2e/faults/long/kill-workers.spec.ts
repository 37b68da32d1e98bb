import { Load } from '../../harness/fleet/load.ts'
import { expect, test } from '../../harness/fleet/test.ts'

test('kill -9 of a worker in the middle of its calls', async ({ fleet, fault }) => {
  const load = await Load.start(fleet, { name: 'one-killed' })
  fault.begins()
  await fleet.workers[0]?.kill()
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
