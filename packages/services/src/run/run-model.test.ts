import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Desk, openDesk } from '../../test/job-desk.ts'
import { COMMANDS } from '../../test/run-model/commands.ts'
import { World } from '../../test/run-model/world.ts'

let desk: Desk
beforeAll(async () => {
  desk = await openDesk()
})
afterAll(() => desk?.drop())

const SEED = Number(process.env.WORKLY_MODEL_SEED ?? 20_270_115)
const RUNS = Number(process.env.WORKLY_MODEL_RUNS ?? 60)
const STEPS = Number(process.env.WORKLY_MODEL_STEPS ?? 50)

/** What any sixty runs or so meet. */
const MET = [
  'pending to running',
  'schedule to running',
  'running to succeeded',
  'running to failed',
  'pending to cancelled',
  'running to cancelled',
  'schedule to skipped missed',
  'schedule to skipped overlap',
  'skipped to pending',
  'failed to pending',
  'step pending to running',
  'step running to succeeded',
  'step running to failed',
  'step pending to not_run',
  'step running to cancelled',
  'step failed to pending',
  'attempt lost',
  'attempt waiting',
  'late result',
  'container begun',
  'container adopted',
  'container to be removed',
  'container gone',
  'waits for its container',
  'new task',
  'waits for its turn',
  'waits for a slot',
]

const title = `whatever happens in whatever order, every rule of a run holds (seed ${SEED}, ${RUNS} times up to ${STEPS} steps)`
test(title, { timeout: 3_600_000 }, async () => {
  const seen = new Map<string, number>()
  await fc.assert(
    fc.asyncProperty(fc.commands(COMMANDS, { maxCommands: STEPS, size: 'max' }), async commands => {
      const world = await World.create(desk)
      await fc.asyncModelRun(() => ({ model: {}, real: world }), commands)
      for (const [what, n] of world.seen) seen.set(what, (seen.get(what) ?? 0) + n)
    }),
    { seed: SEED, numRuns: RUNS },
  )
  // A model that meets nothing proves nothing.
  expect([...seen.keys()]).toEqual(expect.arrayContaining(MET))
})
