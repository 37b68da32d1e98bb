import { formatInstant } from '@workly/core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Desk, openDesk } from '../../test/job-desk.ts'
import { failing, PretendWorker } from '../../test/pretend-worker.ts'
import { makeTenant } from '../../test/tenants.ts'
import { cancelRun } from '../run/cancel-run.ts'
import { getJobCounts } from './get-job-counts.ts'
import { triggerJob } from './trigger-job.ts'

let desk: Desk
beforeAll(async () => {
  desk = await openDesk()
})
afterAll(() => desk?.drop())

describe('the counts of a job', () => {
  test('are nothing before it has run', async () => {
    expect(await getJobCounts(desk.ctx, await desk.job())).toEqual({
      succeeded: 0,
      failed: 0,
      cancelled: 0,
      skipped: 0,
      consecutive_failures: 0,
      last_success_at: null,
      last_failure_at: null,
    })
  })

  test('count every end of a run, and when it last went well', async () => {
    const worker = await PretendWorker.start(desk.services)
    const name = await desk.job({ overlap: 'allow' })
    await triggerJob(desk.ctx, name)
    await worker.work()
    const lastSuccess = formatInstant(desk.now().getTime())
    desk.advance(1_000)
    await triggerJob(desk.ctx, name)
    await worker.work(failing(404))
    await cancelRun(desk.ctx, (await triggerJob(desk.ctx, name)).id)
    expect(await getJobCounts(desk.ctx, name)).toMatchObject({
      succeeded: 1,
      failed: 1,
      cancelled: 1,
      consecutive_failures: 1,
      last_success_at: lastSuccess,
    })
  })

  test('of another tenant’s job are not found', async () => {
    const name = await desk.job()
    const stranger = (await makeTenant(desk.services)).as('owner')
    await expect(getJobCounts(stranger, name)).rejects.toMatchObject({ code: 'not_found' })
  })
})
