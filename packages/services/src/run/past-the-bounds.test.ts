import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type Desk, openDesk } from '../../test/job-desk.ts'
import { failing, OK, PretendWorker } from '../../test/pretend-worker.ts'
import { getJob } from '../job/get-job.ts'
import { patchJob } from '../job/patch-job.ts'
import { triggerJob } from '../job/trigger-job.ts'
import { admitDue } from '../schedule/admit-due.ts'
import { getRun } from './get-run.ts'
import { retryRun } from './retry-run.ts'

let desk: Desk
let worker: PretendWorker
beforeAll(async () => {
  desk = await openDesk()
})
afterAll(() => desk?.drop())
beforeEach(async () => {
  await desk.clear()
  desk.at('2027-01-15T12:00:00Z')
  worker = await PretendWorker.start(desk.services)
})

/** Has one time, at its very end; a later attempt of it would be past `to`. */
const lastHour = { cron: '0 13 * * *', to: '2027-01-15T13:00:00Z', min_backoff_seconds: 60 }

test('to bounds scheduled times only: next attempts, a run by hand and a retry by hand go on after it', async () => {
  const name = await desk.job(lastHour)
  desk.at('2027-01-15T13:00:00Z')
  await desk.tick()
  await worker.renew()
  expect(await worker.work(failing(500))).toHaveLength(1)
  expect((await getJob(desk.ctx, name)).job.state).toBe('completed')
  desk.advance(60_000)
  await worker.renew()
  await admitDue(desk.services)
  expect(await worker.work(OK)).toMatchObject([{ number: 2 }])
  const [scheduled] = await desk.runs(name)
  expect(scheduled?.state).toBe('succeeded')

  await retryRun(desk.ctx, scheduled?.id ?? '')
  expect(await worker.work(OK)).toMatchObject([{ run_id: scheduled?.id, number: 3 }])
  const byHand = await triggerJob(desk.ctx, name)
  expect(await worker.work(OK)).toMatchObject([{ run_id: byHand.id, number: 1 }])
  expect((await desk.runs(name)).map(run => run.state)).toEqual(['succeeded', 'succeeded'])
})

test('from bounds scheduled times only: a run by hand goes before it', async () => {
  const name = await desk.job({ from: '2027-03-01T00:00:00Z' })
  const byHand = await triggerJob(desk.ctx, name)
  expect(await worker.work(OK)).toMatchObject([{ run_id: byHand.id, number: 1 }])
})

test('a skipped run shows what would have been sent at its time, also after an edit', async () => {
  const name = await desk.job({ cron: '0 13 * * *', body: 'as it was', method: 'PUT' })
  await triggerJob(desk.ctx, name)
  desk.at('2027-01-15T13:00:00Z')
  await desk.tick()
  await patchJob(desk.ctx, name, { body: 'as it is', method: 'POST', url: 'https://elsewhere.example/' })
  const skipped = (await desk.runs(name)).find(run => run.state === 'skipped')
  expect(await getRun(desk.ctx, skipped?.id ?? '')).toMatchObject({
    state: 'skipped',
    skip_reason: 'overlap',
    request: { method: 'PUT', url: 'https://target.example/', body: 'as it was' },
    attempts: [],
  })
})
