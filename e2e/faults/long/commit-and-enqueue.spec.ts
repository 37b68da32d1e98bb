import { Load } from '../../harness/fleet/load.ts'
import { type Moment, PostgresProxy } from '../../harness/fleet/postgres-proxy.ts'
import { expect, test } from '../../harness/fleet/test.ts'

const MOMENTS: Moment[] = ['before commit', 'after commit', 'after an answer']
const ROUNDS = 4

/** A sequence that looks random and can be had again. */
function* dice(seed: number): Generator<number, never> {
  let state = seed
  for (;;) {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    yield state / 2 ** 31
  }
}

test('kill -9 of the worker just before and just after a commit, again and again', async ({
  fleet,
  fault,
}) => {
  test.setTimeout(400_000)
  const proxy = await PostgresProxy.start(fleet.postgres.port)
  const url = proxy.url(fleet.postgres.url)
  await fleet.workers[0]?.stop()
  fleet.workers[0] = await fleet.startWorker({ databaseUrl: url })
  const load = await Load.start(fleet, { name: 'at-commit' })
  const random = dice(7)
  for (let round = 0; round < ROUNDS; round++) {
    for (const moment of MOMENTS) {
      await load.rounds(1)
      let left = Math.floor(random.next().value * 12)
      fault.begins()
      // Some of the commits that come by are let through, so that the tick's, begin's and finish's are all met.
      await proxy.cutAt(moment, () => {
        if (left-- > 0) return false
        fleet.workers[0]?.send('SIGKILL')
        return true
      })
      await fleet.workers[0]?.kill()
      fleet.workers[0] = await fleet.startWorker({ databaseUrl: url })
    }
  }
  await load.rounds(22)
  const outcome = await load.check({ outageMs: 15_000 })
  // In no snapshot was there a run that had been admitted and had no task: both commit together, or neither.
  expect(load.watch.withoutTask).toBe(0)
  fault.take(outcome)
  fault.note(`${ROUNDS * MOMENTS.length} kills, ${load.watch.looks} looks at the queue`)
  await fleet.workers[0]?.stop()
  await proxy.close()
  await fleet.completeWorkers()
})

test('connections cut just before and just after commits while the workers live on', async ({
  fleet,
  fault,
}) => {
  test.setTimeout(300_000)
  const proxy = await PostgresProxy.start(fleet.postgres.port)
  const url = proxy.url(fleet.postgres.url)
  await Promise.all(fleet.workers.map(worker => worker.stop()))
  for (const index of fleet.workers.keys())
    fleet.workers[index] = await fleet.startWorker({ databaseUrl: url })
  const load = await Load.start(fleet, { name: 'cut-at-commit' })
  const random = dice(11)
  const cuts = 40
  for (let cut = 0; cut < cuts; cut++) {
    let left = Math.floor(random.next().value * 10)
    fault.begins()
    await proxy.cutAt(MOMENTS[cut % MOMENTS.length] ?? 'after commit', () => left-- <= 0)
  }
  await load.rounds(25)
  const outcome = await load.check({ outageMs: 20_000 })
  expect(load.watch.withoutTask).toBe(0)
  fault.take(outcome)
  fault.note(`${cuts} cuts`)
  await Promise.all(fleet.workers.map(worker => worker.stop()))
  await proxy.close()
  await fleet.completeWorkers()
})
