import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Desk, openDesk } from '../../test/job-desk.ts'
import { PretendWorker } from '../../test/pretend-worker.ts'
import { putJob } from '../job/put-job.ts'
import { triggerJob } from '../job/trigger-job.ts'
import { backfillJob } from './backfill-job.ts'
import { listRuns } from './list-runs.ts'

const HOUR = 3_600_000

let desk: Desk
/** Scheduled times of all runs, the newest run first; the last to be made are of the oldest times. */
let times: string[]

beforeAll(async () => {
  desk = await openDesk()
  await desk.job({ cron: '0 * * * *' }, 'hourly')
  const worker = await PretendWorker.start(desk.services)
  for (let hour = 0; hour < 6; hour++) {
    desk.advance(HOUR)
    await desk.tick()
    await worker.finish(await worker.take())
  }
  const now = desk.now().getTime()
  const at = (hours: number) => new Date(Math.floor(now / HOUR) * HOUR - hours * HOUR).toISOString()
  await backfillJob(desk.ctx, 'hourly', { from: at(20), to: at(18) })
  times = (await listRuns(desk.ctx)).data.map(run => run.scheduled_for)
}, 60_000)
afterAll(() => desk?.drop())

test('bounds on the scheduled time keep exactly the runs of those times, those made long after them too', async () => {
  expect(times).toHaveLength(9)
  const sorted = [...times].sort()
  const bounds = [undefined, ...sorted, '1999-01-01T00:00:00Z', '2999-01-01T00:00:00Z']
  for (const from of bounds) {
    for (const to of bounds) {
      const within = times.filter(time => (!from || time >= from) && (!to || time <= to))
      const { data } = await listRuns(desk.ctx, { from, to })
      expect(data.map(run => run.scheduled_for)).toEqual(within)
      const ofJob = await listRuns(desk.ctx, { from, to, job: 'hourly' })
      expect(ofJob.data.map(run => run.scheduled_for)).toEqual(within)
    }
  }
})

test('pages within bounds neither miss nor repeat a run', async () => {
  const to = [...times].sort().at(-2) ?? ''
  const seen: string[] = []
  let cursor: string | undefined
  do {
    const page = await listRuns(desk.ctx, { to, limit: 2, cursor })
    seen.push(...page.data.map(run => run.scheduled_for))
    cursor = page.next_cursor ?? undefined
  } while (cursor)
  expect(seen).toEqual(times.filter(time => time <= to))
})

test('of one kind are the runs that do that, whatever their job does now', async () => {
  const url = 'https://api.example.com/'
  const cron = '0 3 * * *'
  await putJob(desk.ctx, 'imaged', { cron, image: { name: 'team/report', tag: '1' } })
  const imaged = await triggerJob(desk.ctx, 'imaged')
  await putJob(desk.ctx, 'piped', {
    cron,
    steps: [
      { id: 'a', url },
      { id: 'b', url },
    ],
  })
  const piped = await triggerJob(desk.ctx, 'piped')
  await putJob(desk.ctx, 'imaged', { cron, url })
  const of = async (kind: 'http' | 'image' | 'pipeline') =>
    (await listRuns(desk.ctx, { kind })).data.map(run => run.id)
  expect(await of('image')).toEqual([imaged.id])
  expect(await of('pipeline')).toEqual([piped.id])
  expect(await of('http')).toHaveLength(times.length)
})
