import { answer, FleetTarget } from '../../harness/fleet/fleet-target.ts'
import { workerAt } from '../../harness/fleet/internals.ts'
import { Load } from '../../harness/fleet/load.ts'
import { expect, test } from '../../harness/fleet/test.ts'

test('a run that kills its worker each time', async ({ fleet, fault }) => {
  test.setTimeout(240_000)
  const killed: Promise<void>[] = []
  const poison = await FleetTarget.start(async (call, response) => {
    const pid = await workerAt(fleet.sql, call.run)
    const index = fleet.workers.findIndex(worker => worker.pid === pid)
    const worker = fleet.workers[index]
    if (!worker) return answer(call, response)
    fault.begins()
    killed.push(
      worker.kill().then(async () => {
        fleet.workers[index] = await fleet.startWorker()
      }),
    )
  })
  await fleet.client().putJob('poisoned', { cron: '0 3 1 1 *', url: poison.url('/poison'), max_attempts: 5 })
  const load = await Load.start(fleet, { name: 'beside-poison' })
  const { id } = await fleet.client().trigger('poisoned')
  const run = await fleet.client().ended(id, 150_000)
  await Promise.all(killed)
  fault.ends()

  expect(run).toMatchObject({ state: 'failed', error: { class: 'lost' } })
  expect(run.attempts).toHaveLength(3)
  expect(killed).toHaveLength(3)
  await load.rounds(3)
  fault.take(await load.check({ outageMs: 15_000 }))
  await poison.close()
})
