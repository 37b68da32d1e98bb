import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { ContainerHands, exits, imageJob } from '../../test/containers.ts'
import { type Desk, openDesk } from '../../test/job-desk.ts'
import { PretendWorker } from '../../test/pretend-worker.ts'
import { expireWaits } from '../callback/expire-waits.ts'
import { recordCallback } from '../callback/record-callback.ts'
import { deleteJob } from '../job/delete-job.ts'
import { triggerJob } from '../job/trigger-job.ts'
import { cancelRun } from '../run/cancel-run.ts'
import { rescueRuns } from '../run/rescue-runs.ts'
import { adoptContainers } from './adopt-containers.ts'
import type { BegunContainer } from './begin-containers.ts'

let desk: Desk
let worker: PretendWorker
let hands: ContainerHands
beforeAll(async () => {
  desk = await openDesk()
})
afterAll(() => desk?.drop())
beforeEach(async () => {
  await desk.clear()
  worker = await PretendWorker.start(desk.services)
  hands = new ContainerHands(desk.services, worker)
})

const ROUNDS = 20

/** What may happen to a container at the very same instant, by what it may make of the run. */
const HAPPENINGS = {
  exit0: ({ container }: Scene) => hands.end(container),
  exit3: ({ container }: Scene) => hands.end(container, exits(3)),
  started: ({ container }: Scene) => hands.started(container),
  ok: ({ container }: Scene) => report(container, 'OK'),
  error: ({ container }: Scene) => report(container, 'ERROR'),
  cancel: ({ runId }: Scene) => cancelRun(desk.ctx, runId),
  deletion: ({ job }: Scene) => deleteJob(desk.ctx, job),
  expiry: () => expireWaits(desk.services, 100),
  sweep: () => rescueRuns(desk.services, true),
  adoption: () => adoptContainers(desk.services, { workerId: worker.id, executor: 'docker', held: [] }, 10),
} as const
type Happening = keyof typeof HAPPENINGS

interface Scene {
  job: string
  runId: string
  container: BegunContainer
}

const report = ({ attempt_id: id }: BegunContainer, result: string) =>
  recordCallback(desk.services, id, { ctx: desk.ctx }, { result })

/** Refusals by what came first; anything else (a deadlock, say) fails the test. */
const LATE = new Set(['run_finished', 'not_found', 'conflict'])

/** Everything at once, in another order each round; @returns the run and its attempts as they stand. */
async function race(scene: Scene, happenings: readonly Happening[], round: number) {
  const turned = happenings.map((_, i) => happenings[(i + round) % happenings.length] as Happening)
  const ordered = round % 2 === 0 ? turned : turned.toReversed()
  await Promise.all(
    ordered.map(async name => {
      try {
        await HAPPENINGS[name](scene)
      } catch (error) {
        const code = (error as { code?: string }).code ?? ''
        if (!LATE.has(code)) throw error
      }
    }),
  )
}

test.each([
  ['an exit and a cancel', null, ['exit0', 'cancel'], ['succeeded', 'cancelled']],
  ['a failure and a callback', 60, ['exit3', 'ok', 'adoption'], ['succeeded', 'failed']],
  ['an exit and the end of the wait', 60, ['exit0', 'expiry'], ['failed']],
  ['a callback and the end of the wait', 60, ['ok', 'expiry', 'sweep'], ['succeeded', 'failed']],
  [
    'the word of its start and all else',
    60,
    ['started', 'exit3', 'ok', 'cancel'],
    ['succeeded', 'failed', 'cancelled'],
  ],
  [
    'everything',
    60,
    ['exit3', 'ok', 'error', 'cancel', 'expiry', 'sweep', 'adoption'],
    ['succeeded', 'failed', 'cancelled'],
  ],
] satisfies [string, number | null, Happening[], string[]][])(
  '%s at the same instant: one of them decides, once, and the container is removed',
  async (_, max_wait_seconds, happenings, states) => {
    for (let round = 0; round < ROUNDS; round++) {
      await worker.renew()
      const job = await imageJob(desk, { max_wait_seconds }, { max_attempts: 1 })
      const run = await triggerJob(desk.ctx, job)
      const container = await hands.one()
      if ((happenings as Happening[]).includes('expiry')) {
        await desk.sql`
          update attempts set callback_deadline = ${desk.now()} where id = ${container.attempt_id}`
      }
      await race({ job, runId: run.id, container }, happenings, round)
      const { state } = await desk.run(run.id)
      expect(states).toContain(state)
      expect(await desk.attempts(run.id)).toMatchObject([{ state }])
      const [counts] = await desk.sql<{ ended: number; state: string }[]>`
        select (runs_succeeded + runs_failed + runs_cancelled)::int as ended from jobs where name = ${job}`
      expect(counts?.ended).toBe(1)
      // Whatever decided it, the word of its end is still taken, and then nothing is left.
      await hands.end(container)
      await hands.gone(container)
      const [left] = await desk.sql<{ slots: number; live: number }[]>`
        select (select count(*)::int from runs where slot_host is not null) as slots,
          (select count(*)::int from container_handles where gone_at is null) as live`
      expect(left).toEqual({ slots: 0, live: 0 })
    }
  },
)

test('the deletion of its job at the instant of its exit, callback, cancel and the end of its wait leaves nothing going', async () => {
  for (let round = 0; round < ROUNDS; round++) {
    await worker.renew()
    const job = await imageJob(desk, { max_wait_seconds: 60 }, { max_attempts: 2 })
    const run = await triggerJob(desk.ctx, job)
    const container = await hands.one()
    await desk.sql`update attempts set callback_deadline = ${desk.now()} where id = ${container.attempt_id}`
    const all = ['deletion', 'exit3', 'error', 'cancel', 'expiry', 'sweep', 'started'] as const
    await race({ job, runId: run.id, container }, all, round)
    const { state, finished_at } = await desk.run(run.id)
    expect(['failed', 'cancelled']).toContain(state)
    expect(finished_at).not.toBeNull()
    const [handle] = await desk.sql<{ removing_since: Date | null }[]>`
      select removing_since from container_handles where id = ${container.handle_id}`
    expect(handle?.removing_since).not.toBeNull()
    await hands.gone(container)
    expect(await hands.begin()).toEqual([])
  }
})
