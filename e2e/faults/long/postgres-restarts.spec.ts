import { Load } from '../../harness/fleet/load.ts'
import { expect, test } from '../../harness/fleet/test.ts'

for (const how of ['fast', 'immediate', 'crash'] as const) {
  test(`PostgreSQL is shut down under load (${how}) and started again`, async ({ fleet, fault }) => {
    const load = await Load.start(fleet, { name: `restart-${how}` })
    await load.target.more(1)
    fault.begins()
    await fleet.postgres.shutDown(how)
    await fleet.postgres.startAgain()
    fault.ends()
    await fleet.serves()
    await load.rounds(25)
    const outcome = await load.check({ outageMs: fault.lastedMs + 15_000 })
    fault.take(outcome)
    expect(fleet.workers.some(worker => worker.hasEnded)).toBe(false)
    expect(fault.measured.recovered_s).toBeLessThan(fault.lastedMs / 1_000 + 30)
  })
}
