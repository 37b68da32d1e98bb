import { Load } from '../../harness/fleet/load.ts'
import { expect, test } from '../../harness/fleet/test.ts'

const HOUR_MS = 3_600_000
const preload = new URL('../../harness/fleet/shifted-clock.mjs', import.meta.url).href

for (const [where, offMs] of [
  ['an hour ahead', HOUR_MS],
  ['an hour behind', -HOUR_MS],
] as const) {
  test(`the clock of one worker is ${where}, and then as far off the other way`, async ({ fleet, fault }) => {
    await fleet.workers[0]?.stop()
    fleet.workers[0] = await fleet.startWorker({ preload, env: { CLOCK_OFF_MS: String(offMs) } })
    const load = await Load.start(fleet, { name: offMs > 0 ? 'ahead' : 'behind' })
    fault.begins()
    await load.rounds(8)
    // Alone it has to do everything by its clock.
    await fleet.workers[1]?.stop()
    await load.rounds(8)
    fleet.workers[0]?.send('SIGUSR2')
    await load.rounds(8)
    await fleet.completeWorkers()
    await load.rounds(3)
    const outcome = await load.check()
    fault.take(outcome)
    // What it has written down is the database's time, and nothing came before its own time.
    for (const attempt of outcome.attempts) {
      const run = outcome.runs.find(seen => seen.id === attempt.run_id)
      const early = (run?.scheduled_for.getTime() ?? 0) - attempt.started_at.getTime()
      expect(early).toBeLessThanOrEqual(0)
      expect(Math.abs(early)).toBeLessThan(60_000)
    }
    await fleet.workers[0]?.stop()
    await fleet.completeWorkers()
  })
}
