import { afterAll, beforeAll, expect, test } from 'vitest'
import { ContainerHands, imageJob } from '../../test/containers.ts'
import { type Desk, openDesk } from '../../test/job-desk.ts'
import { PretendWorker } from '../../test/pretend-worker.ts'
import { recordCallback } from '../callback/record-callback.ts'
import { triggerJob } from '../job/trigger-job.ts'
import { cancelRun } from '../run/cancel-run.ts'

let desk: Desk
beforeAll(async () => {
  desk = await openDesk()
})
afterAll(() => desk?.drop())

test.each([
  ['skip', 'cancel', '2027-01-16'],
  ['skip', 'callback', '2027-01-17'],
  ['queue', 'cancel', '2027-01-18'],
  ['queue', 'callback', '2027-01-19'],
] as const)(
  'under %s a run that is over by a %s holds its job back no more, though its container is still there',
  async (overlap, end, day) => {
    await desk.clear()
    await desk.sql`update container_handles set gone_at = now() where gone_at is null`
    desk.at(`${day}T02:59:59Z`)
    const hands = new ContainerHands(desk.services, await PretendWorker.start(desk.services))
    const job = await imageJob(desk, { max_wait_seconds: 60 }, { overlap })
    const run = await triggerJob(desk.ctx, job)
    const container = await hands.one()
    if (end === 'cancel') await cancelRun(desk.ctx, run.id)
    else await recordCallback(desk.services, container.attempt_id, { ctx: desk.ctx }, { result: 'OK' })
    desk.advance(1_000)
    await desk.tick()
    const next = (await desk.runs(job)).at(-1)
    expect(next).toMatchObject({ trigger: 'schedule', state: 'pending', waits_for_turn: false })
    expect(await hands.begin()).toMatchObject([{ run_id: next?.id }])
    const [live] = await desk.sql<{ n: number }[]>`
      select count(*)::int as n from container_handles where gone_at is null`
    expect(live?.n).toBe(2)
  },
)
