import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  addMember,
  asUser,
  auditRows,
  MEMBERS,
  makeTenant,
  openServices,
  race,
  type Tenant,
  type TestServices,
  whoMay,
} from '../../test/tenants.ts'
import { ROLES } from '../context.ts'
import { consoleContext } from '../session/console-context.ts'
import { leaveOrganization } from './leave-organization.ts'
import { listMembers } from './list-members.ts'
import { removeMember } from './remove-member.ts'

let t: TestServices
let tenant: Tenant
beforeAll(async () => {
  t = await openServices()
  tenant = await makeTenant(t.services)
})
afterAll(() => t.drop())

test('members are listed with address and role, to all members and to no key', async () => {
  const members = await listMembers(tenant.as('viewer'))
  expect(members.map(member => member.role).sort()).toEqual([...ROLES].sort())
  expect(members.find(member => member.role === 'admin')).toEqual({
    user_id: tenant.userOf('admin'),
    name: null,
    email: expect.stringMatching(/@example\.com$/),
    role: 'admin',
    created_at: expect.any(String),
  })
  expect(await whoMay(tenant, listMembers)).toEqual(MEMBERS)
})

test.each(ROLES)('a member who is %s is removed by those who reach that role', async role => {
  const userId = () => addMember(t.services, tenant.organizationId, role)
  const removes = await whoMay(tenant, async ctx => removeMember(ctx, await userId()))
  expect(removes).toEqual(role === 'owner' ? ['owner'] : ['admin', 'owner'])
})

test('a removed member is out at once, and it is in the audit log', async () => {
  const mine = await makeTenant(t.services)
  const userId = mine.userOf('developer')
  await consoleContext(t.services, { userId, epoch: 0 }, mine.organizationId, null, null)
  await removeMember(mine.as('admin'), userId)
  const again = consoleContext(t.services, { userId, epoch: 0 }, mine.organizationId, null, null)
  await expect(again).rejects.toMatchObject({ code: 'not_found' })
  const removed = (await auditRows(t.sql, mine.organizationId)).filter(l => l.action === 'member.remove')
  expect(removed).toMatchObject([{ subject_id: userId, actor_name: 'admin', before: { role: 'developer' } }])
})

test('who was removed while the request was going changes nothing any more', async () => {
  const mine = await makeTenant(t.services)
  const asRemoved = mine.as('admin')
  await removeMember(mine.as('owner'), mine.userOf('admin'))
  const removal = removeMember(asRemoved, mine.userOf('viewer'))
  await expect(removal).rejects.toMatchObject({
    code: 'forbidden',
    message: expect.stringContaining('no longer'),
  })
})

test('everybody may leave but the last owner and an API key', async () => {
  const mine = await makeTenant(t.services)
  for (const role of ROLES) {
    if (role !== 'owner') await leaveOrganization(mine.as(role))
  }
  expect((await listMembers(mine.as('owner'))).map(member => member.role)).toEqual(['owner'])
  await expect(leaveOrganization(mine.as('owner'))).rejects.toMatchObject({ code: 'conflict' })
  await expect(removeMember(mine.as('owner'), mine.userOf('owner'))).rejects.toMatchObject({
    code: 'conflict',
  })
  const key = { kind: 'apiKey', id: 'key_0', name: 'CI', scope: 'write' } as const
  await expect(leaveOrganization({ ...mine.as('owner'), actor: key })).rejects.toMatchObject({
    code: 'forbidden',
  })
  const left = (await auditRows(t.sql, mine.organizationId)).filter(l => l.action === 'member.leave')
  expect(left).toHaveLength(4)
})

test('of two owners who remove each other at once one stays', async () => {
  const mine = await makeTenant(t.services)
  const [one, two] = [mine.userOf('owner'), await addMember(t.services, mine.organizationId, 'owner')]
  const results = await race(t, mine.organizationId, [
    () => removeMember(asUser(mine.as('owner'), one, 'owner'), two),
    () => removeMember(asUser(mine.as('owner'), two, 'owner'), one),
  ])
  expect(results.map(r => r.status).sort()).toEqual(['fulfilled', 'rejected'])
  const owners = (await listMembers(mine.as('viewer'))).filter(member => member.role === 'owner')
  expect(owners).toHaveLength(1)
})

test('of two owners who leave at once one stays', async () => {
  const mine = await makeTenant(t.services)
  const two = await addMember(t.services, mine.organizationId, 'owner')
  const results = await race(t, mine.organizationId, [
    () => leaveOrganization(mine.as('owner')),
    () => leaveOrganization(asUser(mine.as('owner'), two, 'owner')),
  ])
  expect(results.map(r => r.status).sort()).toEqual(['fulfilled', 'rejected'])
  expect(results.find(r => r.status === 'rejected')?.reason).toMatchObject({ code: 'conflict' })
})

test('who is a member elsewhere only is not found', async () => {
  const other = await makeTenant(t.services)
  const removal = removeMember(tenant.as('owner'), other.userOf('viewer'))
  await expect(removal).rejects.toMatchObject({ code: 'not_found' })
  expect(await listMembers(other.as('viewer'))).toHaveLength(5)
})
