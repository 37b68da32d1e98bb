import { endListeners, lookAtQueue } from '../harness/fleet/internals.ts'
import { Load } from '../harness/fleet/load.ts'
import { type Moment, PostgresProxy } from '../harness/fleet/postgres-proxy.ts'
import { expect, test } from '../harness/fleet/test.ts'

// The short forms of what `npm run faults` does at length: two workers, two APIs, twenty runs a second.

test('all workers are killed at once, and no run is lost or made twice', async ({ fleet, fault }) => {
  const load = await Load.start(fleet, { name: 'killed' })
  fault.begins()
  await load.target.more(1)
  await Promise.all(fleet.workers.map(worker => worker.kill()))
  await fleet.completeWorkers()
  fault.ends()
  await load.rounds(2)
  fault.take(await load.check({ outageMs: fault.lastedMs + 15_000 }))
})

test('workers stopped in the middle of their calls leave no task locked and lose no run', async ({
  fleet,
  fault,
}) => {
  const load = await Load.start(fleet, { name: 'stopped' })
  for (const index of [0, 1, 0, 1]) {
    await load.target.more(1)
    fault.begins()
    expect(await fleet.workers[index]?.stop()).toBe(0)
    fleet.workers[index] = await fleet.startWorker()
  }
  await load.end()
  expect((await lookAtQueue(fleet.sql)).locked).toBe(0)
  fault.take(await load.check())
})

test('PostgreSQL is restarted under load', async ({ fleet, fault }) => {
  const load = await Load.start(fleet, { name: 'restarted' })
  await load.target.more(1)
  fault.begins()
  await fleet.postgres.shutDown('fast')
  await fleet.postgres.startAgain()
  fault.ends()
  await fleet.serves()
  await load.rounds(5)
  fault.take(await load.check({ outageMs: fault.lastedMs + 15_000 }))
})

test('connections cut just before and just after commits, and those that listen ended', async ({
  fleet,
  fault,
}) => {
  const proxy = await PostgresProxy.start(fleet.postgres.port)
  await fleet.workers[0]?.stop()
  fleet.workers[0] = await fleet.startWorker({ databaseUrl: proxy.url(fleet.postgres.url) })
  const load = await Load.start(fleet, { name: 'cut' })
  const moments: Moment[] = ['before commit', 'after commit', 'after an answer']
  for (let cut = 0; cut < 9; cut++) {
    let left = cut
    fault.begins()
    await proxy.cutAt(moments[cut % moments.length] ?? 'after commit', () => left-- <= 0)
  }
  expect(await endListeners(fleet.sql)).toBeGreaterThan(0)
  await load.rounds(3)
  fault.take(await load.check({ outageMs: 20_000 }))
  // State and task commit together: in no snapshot was there one without the other.
  expect(load.watch.withoutTask).toBe(0)
  await fleet.workers[0]?.stop()
  await proxy.close()
  await fleet.completeWorkers()
})
