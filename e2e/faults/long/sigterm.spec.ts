import { setTimeout as delay } from 'node:timers/promises'
import { lookAtQueue } from '../../harness/fleet/internals.ts'
import { Load } from '../../harness/fleet/load.ts'
import { expect, test } from '../../harness/fleet/test.ts'

const STOPS = 24

test('SIGTERM of a worker at any moment, its start included', async ({ fleet, fault }) => {
  test.setTimeout(300_000)
  const load = await Load.start(fleet, { name: 'stopped' })
  let state = 5
  const random = () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    return state / 2 ** 31
  }
  for (let n = 0; n < STOPS; n++) {
    const index = n % fleet.workers.length
    const worker = fleet.workers[index]
    await load.target.more(1)
    // The moment is what is tested: anywhere within the second that lies between two rounds.
    await delay(random() * 1_000)
    fault.begins()
    expect(await worker?.stop(), worker?.output.slice(-2_000)).toBe(0)
    const next = fleet.launchWorker()
    fleet.workers[index] = next
    if (n % 3 === 2) {
      // Stopped again before it has begun.
      await delay(random() * 800)
      next.send('SIGTERM')
      await next.stop()
      fleet.workers[index] = await fleet.startWorker()
    } else await next.ready()
  }
  await load.end()
  // No stop has left a task locked: there is none now, with no lease having had to run out.
  expect((await lookAtQueue(fleet.sql)).locked).toBe(0)
  const outcome = await load.check()
  fault.take(outcome)
  fault.note(`${STOPS} stops`)
  // Whoever stopped has put back what it had itself, so nothing had to wait for a lease.
  expect(fault.measured.recovered_s).toBeLessThan(15)
})
