import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  addMember,
  asUser,
  auditRows,
  makeTenant,
  openServices,
  race,
  type Tenant,
  type TestServices,
  whoMay,
} from '../../test/tenants.ts'
import { ROLES, type Role } from '../context.ts'
import { changeRole } from './change-role.ts'
import { listMembers } from './list-members.ts'
import { reaches } from './roster.ts'

let t: TestServices
let tenant: Tenant
beforeAll(async () => {
  t = await openServices()
  tenant = await makeTenant(t.services)
})
afterAll(() => t.drop())

const roleOf = async (mine: Tenant, userId: string) =>
  (await listMembers(mine.as('viewer'))).find(member => member.user_id === userId)?.role

const pairs = ROLES.flatMap(own => ROLES.map((other): [Role, Role] => [own, other]))

test.each(pairs)('%s reaches %s as far as it is not above', (own, other) => {
  expect(reaches(own, other)).toBe(ROLES.indexOf(own) >= ROLES.indexOf(other))
})

test.each(pairs)('a member who is %s is made %s by those who reach both', async (before, after) => {
  for (const actor of ROLES) {
    const userId = await addMember(t.services, tenant.organizationId, before)
    const change = changeRole(tenant.as(actor), userId, { role: after })
    if ((actor === 'admin' && before !== 'owner' && after !== 'owner') || actor === 'owner') {
      await change
      expect(await roleOf(tenant, userId)).toBe(after)
    } else {
      await expect(change).rejects.toMatchObject({ code: 'forbidden' })
      expect(await roleOf(tenant, userId)).toBe(before)
    }
  }
})

test('no key changes a role, whatever its scope', async () => {
  const userId = await addMember(t.services, tenant.organizationId, 'viewer')
  const mayChange = await whoMay(tenant, ctx => changeRole(ctx, userId, { role: 'operator' }))
  expect(mayChange).toEqual(['admin', 'owner'])
})

test('a change is in the audit log with both roles, and no change is not', async () => {
  const mine = await makeTenant(t.services)
  const userId = mine.userOf('viewer')
  await changeRole(mine.as('admin'), userId, { role: 'viewer' })
  await changeRole(mine.as('admin'), userId, { role: 'developer' })
  const changes = (await auditRows(t.sql, mine.organizationId)).filter(l => l.action === 'member.change_role')
  expect(changes).toMatchObject([
    { subject_id: userId, actor_name: 'admin', before: { role: 'viewer' }, after: { role: 'developer' } },
  ])
})

test('the last owner stays one until there is another', async () => {
  const mine = await makeTenant(t.services)
  const owner = mine.userOf('owner')
  await expect(changeRole(mine.as('owner'), owner, { role: 'admin' })).rejects.toMatchObject({
    code: 'conflict',
    message: expect.stringContaining('last owner'),
  })
  await changeRole(mine.as('owner'), mine.userOf('admin'), { role: 'owner' })
  await changeRole(mine.as('owner'), owner, { role: 'viewer' })
  expect(await roleOf(mine, owner)).toBe('viewer')
})

test('of two owners who demote each other at once one stays, and the other is no owner any more', async () => {
  const mine = await makeTenant(t.services)
  const [one, two] = [mine.userOf('owner'), await addMember(t.services, mine.organizationId, 'owner')]
  const results = await race(t, mine.organizationId, [
    () => changeRole(asUser(mine.as('owner'), one, 'owner'), two, { role: 'viewer' }),
    () => changeRole(asUser(mine.as('owner'), two, 'owner'), one, { role: 'viewer' }),
  ])
  expect(results.map(r => r.status).sort()).toEqual(['fulfilled', 'rejected'])
  expect(results.find(r => r.status === 'rejected')?.reason).toMatchObject({ code: 'forbidden' })
  const owners = (await listMembers(mine.as('viewer'))).filter(member => member.role === 'owner')
  expect(owners).toHaveLength(1)
})

test('what counts is the role that the actor has now, not the one the request began with', async () => {
  const mine = await makeTenant(t.services)
  await changeRole(mine.as('owner'), mine.userOf('admin'), { role: 'viewer' })
  const change = changeRole(mine.as('admin'), mine.userOf('operator'), { role: 'admin' })
  await expect(change).rejects.toMatchObject({ code: 'forbidden' })
})

test('who is no member, here or at all, is not found, and an unknown role is refused', async () => {
  const other = await makeTenant(t.services)
  for (const userId of [other.userOf('viewer'), 'usr_x', '']) {
    const change = changeRole(tenant.as('owner'), userId, { role: 'viewer' })
    await expect(change).rejects.toMatchObject({ code: 'not_found' })
  }
  const unknown = changeRole(tenant.as('owner'), tenant.userOf('viewer'), { role: 'root' as Role })
  await expect(unknown).rejects.toMatchObject({
    issues: [{ field: 'role', message: 'one of viewer, operator, developer, admin, owner' }],
  })
})
