import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Desk, openDesk } from '../../test/job-desk.ts'
import { MEMBERS, makeTenant, whoMay } from '../../test/tenants.ts'
import { deleteJob } from './delete-job.ts'
import { listTags } from './list-tags.ts'

let desk: Desk
beforeAll(async () => {
  desk = await openDesk()
})
afterAll(() => desk?.drop())

describe('the tags of a project', () => {
  test('stand once each, in alphabetical order, without those of deleted jobs', async () => {
    await desk.job({ tags: ['sync', 'billing'] })
    await desk.job({ tags: ['billing', 'audit'] })
    const gone = await desk.job({ tags: ['gone'] })
    await deleteJob(desk.ctx, gone)
    expect(await listTags(desk.ctx)).toEqual(['audit', 'billing', 'sync'])
  })

  test('are not those of another project', async () => {
    await desk.job({ tags: ['secret-plan'] })
    const stranger = (await makeTenant(desk.services)).as('owner')
    expect(await listTags(stranger)).toEqual([])
  })

  test('may be read by every member and key', async () => {
    const tenant = await makeTenant(desk.services)
    expect(await whoMay(tenant, listTags)).toEqual([...MEMBERS, 'key:read', 'key:run', 'key:write'])
  })
})
