import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Desk, openDesk } from '../../test/job-desk.ts'
import { MEMBERS, makeTenant, whoMay } from '../../test/tenants.ts'
import { getJob } from '../job/get-job.ts'
import { triggerJob } from '../job/trigger-job.ts'
import { recentRuns } from './recent-runs.ts'

let desk: Desk
beforeAll(async () => {
  desk = await openDesk()
})
afterAll(() => desk?.drop())

async function jobWithRuns(runs: number): Promise<{ id: string; runIds: string[] }> {
  const name = await desk.job({ overlap: 'allow' })
  const runIds: string[] = []
  for (let n = 0; n < runs; n++) {
    desk.advance(1_000)
    runIds.push((await triggerJob(desk.ctx, name)).id)
  }
  return { id: (await getJob(desk.ctx, name)).job.id, runIds }
}

describe('the recent runs of several jobs', () => {
  test('are the latest of each, newest first, and no more than asked for', async () => {
    const [a, b, none] = [await jobWithRuns(4), await jobWithRuns(2), await jobWithRuns(0)]
    const recent = await recentRuns(desk.ctx, [a.id, b.id, none.id], 3)
    expect(recent.get(a.id)?.map(run => run.id)).toEqual(a.runIds.slice(1).reverse())
    expect(recent.get(b.id)?.map(run => run.id)).toEqual(b.runIds.toReversed())
    expect(recent.get(none.id)).toEqual([])
  })

  test('say how each stands and what time it is for', async () => {
    const { id } = await jobWithRuns(1)
    const recent = await recentRuns(desk.ctx, [id], 20)
    const at = `${desk.now().toISOString().slice(0, 19)}Z`
    expect(recent.get(id)).toMatchObject([{ state: 'pending', scheduled_for: at }])
  })

  test('of another tenant’s job are none', async () => {
    const { id } = await jobWithRuns(1)
    const stranger = (await makeTenant(desk.services)).as('owner')
    expect((await recentRuns(stranger, [id], 20)).get(id)).toEqual([])
  })

  test('may be read by every member and key', async () => {
    const tenant = await makeTenant(desk.services)
    const allowed = await whoMay(tenant, ctx => recentRuns(ctx, ['job_none'], 1))
    expect(allowed).toEqual([...MEMBERS, 'key:read', 'key:run', 'key:write'])
  })
})
