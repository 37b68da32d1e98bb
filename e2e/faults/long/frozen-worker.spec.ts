import { setTimeout as delay } from 'node:timers/promises'
import { answer } from '../../harness/fleet/fleet-target.ts'
import { attemptsOf, workerAt } from '../../harness/fleet/internals.ts'
import { Load } from '../../harness/fleet/load.ts'
import { expect, test } from '../../harness/fleet/test.ts'
import { until } from '../../harness/until.ts'

const FROZEN_ROUNDS = 90

test('SIGSTOP of a worker for 90 s, and its return', async ({ fleet, fault }) => {
  test.setTimeout(300_000)
  const load = await Load.start(fleet, {
    name: 'frozen',
    settings: { timeout_seconds: 10 },
    // Long enough for some calls of either worker to be under way at any moment.
    behave: async (call, response) => {
      await delay(1_000)
      answer(call, response)
    },
  })
  await load.target.more(1)
  const pid = await workerAt(fleet.sql, load.target.calls.at(-1)?.run ?? '')
  const frozen = fleet.workers.find(worker => worker.pid === pid) ?? fleet.workers[0]
  fault.begins()
  frozen?.send('SIGSTOP')
  await load.rounds(FROZEN_ROUNDS, 150_000)
  frozen?.send('SIGCONT')
  fault.ends()
  // Results that were waiting in its sockets are refused, and kept beside their attempts.
  const late = await until(
    'its late results are kept',
    async () => (await attemptsOf(fleet.sql, load.names, fleet.tenant.projectId)).filter(a => a.late),
    seen => seen.length > 0,
    30_000,
  )
  expect(new Set(late.map(a => a.state))).toEqual(new Set(['lost']))
  await load.rounds(5)
  const outcome = await load.check()
  fault.take(outcome)
  fault.note(`${late.length} late results kept`)
  expect(frozen?.hasEnded).toBe(false)
})
