import { endListeners } from '../../harness/fleet/internals.ts'
import { Load } from '../../harness/fleet/load.ts'
import { expect, test } from '../../harness/fleet/test.ts'

test('the connections that listen are ended by the server, again and again', async ({ fleet, fault }) => {
  const load = await Load.start(fleet, { name: 'listeners' })
  let ended = 0
  for (let round = 0; round < 5; round++) {
    fault.begins()
    ended += await endListeners(fleet.sql)
    // New jobs and cancels are what is listened for: both are seen without.
    await fleet.client(round).putJob(`late-${round}`, {
      at: new Date(Date.now() + 1_000).toISOString(),
      url: load.target.url('/late'),
    })
    await load.rounds(3)
  }
  expect(ended).toBeGreaterThan(5)
  for (let round = 0; round < 5; round++) {
    const [run] = await fleet.client().runs(`late-${round}`)
    expect(run).toMatchObject({ state: 'succeeded' })
  }
  load.target.calls.splice(
    0,
    Number.POSITIVE_INFINITY,
    ...load.target.calls.filter(call => !call.job.startsWith('late')),
  )
  fault.note(`${ended} connections ended`)
  fault.take(await load.check())
})
