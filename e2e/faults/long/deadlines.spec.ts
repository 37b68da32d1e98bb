import { setTimeout as delay } from 'node:timers/promises'
import { answer } from '../../harness/fleet/fleet-target.ts'
import { Load } from '../../harness/fleet/load.ts'
import { expect, test } from '../../harness/fleet/test.ts'

const TIMEOUT_MS = 3_000
/** When answers come, from the arrival of the call, in milliseconds: the deadline and up to a second about it. */
const AFTER_MS = [-1_000, -500, -100, -20, 0, 20, 100, 500, 1_000].map(off => TIMEOUT_MS + off)

test('answers that come at the deadline, a second before and a second after', async ({ fleet, fault }) => {
  const given = new Map<string, number>()
  const load = await Load.start(fleet, {
    name: 'deadline',
    settings: { timeout_seconds: TIMEOUT_MS / 1_000, max_attempts: 1 },
    behave: async (call, response, number) => {
      const afterMs = AFTER_MS[number % AFTER_MS.length] ?? 0
      given.set(call.run, afterMs)
      await delay(afterMs)
      // An answer that finds its caller gone is none.
      answer(call, response)
    },
  })
  fault.begins()
  await load.rounds(15)
  const outcome = await load.check({ failures: true })
  fault.take(outcome)
  fault.measured.recovered_s = null
  for (const run of outcome.runs) {
    const afterMs = given.get(run.id) ?? 0
    // What comes well before the deadline counts, what comes well after does not, and between there is one end too.
    if (afterMs <= TIMEOUT_MS - 1_000) expect(run.state).toBe('succeeded')
    if (afterMs >= TIMEOUT_MS + 500) expect(run).toMatchObject({ state: 'failed', error_class: 'timeout' })
  }
  const timeouts = outcome.attempts.filter(a => a.error_class === 'timeout')
  expect(timeouts.length).toBeGreaterThan(0)
  fault.note(`${timeouts.length} timeouts`)
})
