import { Load } from '../../harness/fleet/load.ts'
import { test } from '../../harness/fleet/test.ts'

test('ten workers race for every scheduled time', async ({ fleet, fault }) => {
  test.setTimeout(180_000)
  const more = await Promise.all(Array.from({ length: 8 }, () => fleet.startWorker()))
  const load = await Load.start(fleet, { name: 'race' })
  fault.begins()
  await load.rounds(20)
  await Promise.all(more.map(worker => worker.stop()))
  await load.rounds(2)
  fault.take(await load.check())
})
