import type { Fleet } from '../../harness/fleet/fleet.ts'
import { FleetTarget } from '../../harness/fleet/fleet-target.ts'
import { addPendingRuns, openRuns, type SeenRun } from '../../harness/fleet/internals.ts'
import { Load } from '../../harness/fleet/load.ts'
import type { Tenant } from '../../harness/fleet/tenant.ts'
import { expect, test } from '../../harness/fleet/test.ts'
import { until } from '../../harness/until.ts'

const MOST_DELAY_MS = 1_000
const CROWD_TIMEOUT_S = 30

const within = (run: SeenRun, from: number, to: number) =>
  run.scheduled_for.getTime() >= from && run.scheduled_for.getTime() < to

/** Milliseconds from the due time to the begin of the first attempt, at the 99th percentile. */
function p99(runs: SeenRun[]): number {
  const delays = runs
    .map(run => (run.started_at?.getTime() ?? 0) - run.scheduled_for.getTime())
    .sort((a, b) => a - b)
  return delays[Math.ceil(delays.length * 0.99) - 1] ?? Number.NaN
}

async function crowd(fleet: Fleet, tenant: Tenant, name: string, runs: number): Promise<FleetTarget> {
  const silent = await FleetTarget.start(() => undefined)
  await fleet.client(0, tenant).putJob(name, {
    cron: '0 3 1 1 *',
    overlap: 'allow',
    url: silent.url('/silent'),
    timeout_seconds: CROWD_TIMEOUT_S,
    max_attempts: 1,
  })
  await addPendingRuns(fleet.sql, name, tenant.projectId, runs)
  // They are seen by the tick, which gives as many of them a slot as fit.
  await silent.total(50)
  return silent
}

for (const [what, count] of [
  ['5,000 due runs at a target that never answers', 5_000],
  ['50,000 pending runs of one organization', 50_000],
] as const) {
  test(`${what} delay nobody else's by more than a second`, async ({ fleet, fault }) => {
    test.setTimeout(300_000)
    const greedy = await fleet.found(`greedy-${count}`)
    const load = await Load.start(fleet, { name: `beside-${count}` })
    const alone = Date.now()
    await load.rounds(25)
    // What the machine itself takes, while others keep it busy, is no delay by the crowd.
    const crowded = Date.now()
    fault.begins()
    const silent = await crowd(fleet, greedy, 'crowd', count)
    await load.rounds(40)
    const waiting = await openRuns(fleet.sql, ['crowd'], greedy.projectId)
    expect(waiting).toBeGreaterThan(count * 0.9)
    expect(silent.calls.length).toBeLessThan(count / 5)
    await load.end()
    const before = await load.delays(runs => p99(runs.filter(run => within(run, alone, crowded - 1_000))))
    const beside = await load.delays(runs => p99(runs.filter(run => within(run, crowded, Infinity))))
    fault.note(`start delay p99 ${beside} ms beside them, ${before} ms without; ${waiting} still waiting`)
    expect(beside - before).toBeLessThan(MOST_DELAY_MS)
    await fleet.client(0, greedy).deleteJob('crowd')
    await until(
      'the crowd has gone',
      () => openRuns(fleet.sql, ['crowd'], greedy.projectId),
      open => open === 0,
      120_000,
    )
    // The crowd's own calls hold their tasks for as long as they may take.
    fault.take(await load.check({ outageMs: CROWD_TIMEOUT_S * 1_000 }))
    await silent.close()
  })
}
