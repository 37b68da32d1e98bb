import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeTenant, makeUser, openServices, type Tenant, type TestServices } from '../../test/tenants.ts'
import { ROLES } from '../context.ts'
import { changeRole } from '../member/change-role.ts'
import { getOrganization } from '../organization/get-organization.ts'
import { deleteProject } from '../project/delete-project.ts'
import { consoleContext } from './console-context.ts'
import { endSessions } from './session.ts'

let t: TestServices
let tenant: Tenant
let other: Tenant
let slug: string
beforeAll(async () => {
  t = await openServices()
  tenant = await makeTenant(t.services)
  other = await makeTenant(t.services)
  slug = (await getOrganization(tenant.as('viewer'))).slug
})
afterAll(() => t.drop())

const open = (userId: string, organization: string, project: string | null, epoch = 0) =>
  consoleContext(t.services, { userId, epoch }, organization, project, 'rqs_1')

test.each(ROLES)('a member who is %s acts with that role, by slug or id', async role => {
  const expected = {
    services: t.services,
    organizationId: tenant.organizationId,
    actor: { kind: 'user', id: tenant.userOf(role), name: expect.stringContaining('@'), role },
    requestId: 'rqs_1',
  }
  expect(await open(tenant.userOf(role), slug, null)).toEqual(expected)
  const inside = { ...expected, projectId: tenant.projectId }
  expect(await open(tenant.userOf(role), slug, 'main')).toEqual(inside)
  expect(await open(tenant.userOf(role), tenant.organizationId, tenant.projectId)).toEqual(inside)
})

test('a change of role counts from the next request', async () => {
  const mine = await makeTenant(t.services)
  const userId = mine.userOf('viewer')
  expect(await open(userId, mine.organizationId, null)).toMatchObject({ actor: { role: 'viewer' } })
  await changeRole(mine.as('owner'), userId, { role: 'admin' })
  expect(await open(userId, mine.organizationId, null)).toMatchObject({ actor: { role: 'admin' } })
})

test('an organization that one is no member of looks like one that is not there', async () => {
  const stranger = await makeUser(t.services)
  const answers = await Promise.allSettled([
    open(stranger.id, slug, null),
    open(tenant.userOf('owner'), other.organizationId, null),
    open(stranger.id, 'nowhere', null),
  ])
  for (const answer of answers) {
    expect(answer).toMatchObject({ status: 'rejected', reason: { code: 'not_found' } })
  }
  const [first, ...rest] = answers.map(answer => (answer.status === 'rejected' ? String(answer.reason) : ''))
  expect(new Set(rest)).toEqual(new Set([first]))
})

test('another tenant’s project, an unknown one and a deleted one are not found', async () => {
  for (const project of [other.projectId, 'nowhere', '']) {
    await expect(open(tenant.userOf('owner'), slug, project)).rejects.toMatchObject({ code: 'not_found' })
  }
  const mine = await makeTenant(t.services)
  await deleteProject(mine.as('owner'))
  const gone = open(mine.userOf('owner'), mine.organizationId, mine.projectId)
  await expect(gone).rejects.toMatchObject({ code: 'not_found' })
})

test('a deleted organization is not found', async () => {
  const mine = await makeTenant(t.services)
  await t.sql`update organizations set deleted_at = now() where id = ${mine.organizationId}`
  const gone = open(mine.userOf('owner'), mine.organizationId, null)
  await expect(gone).rejects.toMatchObject({ code: 'not_found' })
})

test('a session of an earlier epoch, and one of nobody, is over: signed out, whatever it asks for', async () => {
  const mine = await makeTenant(t.services)
  const userId = mine.userOf('owner')
  expect(await open(userId, mine.organizationId, 'main')).toMatchObject({ projectId: mine.projectId })
  await endSessions(t.services, userId)
  for (const [who, epoch] of [
    [userId, 0],
    [userId, 2],
    ['usr_x', 0],
  ] as const) {
    for (const organization of [mine.organizationId, other.organizationId, 'nowhere']) {
      await expect(open(who, organization, 'main', epoch)).rejects.toMatchObject({ code: 'unauthorized' })
    }
  }
  expect(await open(userId, mine.organizationId, 'main', 1)).toMatchObject({ projectId: mine.projectId })
})
