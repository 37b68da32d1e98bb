import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  addMember,
  asUser,
  auditRows,
  DAY_MS,
  makeTenant,
  makeUser,
  openServices,
  race,
  type Tenant,
  type TestServices,
} from '../../test/tenants.ts'
import { consoleContext } from '../session/console-context.ts'
import { acceptInvitation } from './accept-invitation.ts'
import { changeRole } from './change-role.ts'
import { getInvitation } from './get-invitation.ts'
import { inviteMember } from './invite-member.ts'
import { listMembers } from './list-members.ts'
import { removeMember } from './remove-member.ts'
import { revokeInvitation } from './revoke-invitation.ts'

let t: TestServices
let tenant: Tenant
beforeAll(async () => {
  t = await openServices()
  tenant = await makeTenant(t.services)
})
afterAll(() => t.drop())

async function invited(mine: Tenant = tenant) {
  const user = await makeUser(t.services)
  const made = await inviteMember(mine.as('admin'), { email: user.email, role: 'developer' })
  return { user, ...made }
}

test('who was invited joins with the role of the invitation, and it is in the audit log', async () => {
  const mine = await makeTenant(t.services)
  const { user, token, invitation } = await invited(mine)
  expect(await getInvitation(t.services, token)).toEqual({
    organization: { slug: expect.any(String), name: expect.any(String) },
    email: user.email,
    role: 'developer',
    state: 'open',
  })
  const organization = await acceptInvitation(t.services, user.id, token, 'rqs_1')
  expect(organization).toMatchObject({ id: mine.organizationId, role: 'developer' })
  const ctx = await consoleContext(t.services, { userId: user.id, epoch: 0 }, organization.slug, 'main', null)
  expect(ctx).toMatchObject({ projectId: mine.projectId, actor: { role: 'developer' } })
  const audit = await auditRows(t.sql, mine.organizationId)
  expect(audit.find(line => line.action === 'member.join')).toMatchObject({
    subject_id: user.id,
    actor_name: user.email,
    request_id: 'rqs_1',
    after: { role: 'developer', invitation: invitation.id },
  })
  expect(JSON.stringify(audit)).not.toContain(token)
})

test('an invitation is used once', async () => {
  const { user, token } = await invited()
  await acceptInvitation(t.services, user.id, token, null)
  const again = acceptInvitation(t.services, user.id, token, null)
  await expect(again).rejects.toMatchObject({ code: 'conflict', message: expect.stringContaining('used') })
  await removeMember(tenant.as('owner'), user.id)
  const back = acceptInvitation(t.services, user.id, token, null)
  await expect(back).rejects.toMatchObject({ code: 'conflict' })
})

test('accepted twice at once it makes one membership', async () => {
  const mine = await makeTenant(t.services)
  const { user, token } = await invited(mine)
  const accept = () => acceptInvitation(t.services, user.id, token, null)
  const results = await race(t, mine.organizationId, [accept, accept, accept])
  expect(results.filter(r => r.status === 'fulfilled')).toHaveLength(1)
  for (const result of results) {
    if (result.status === 'rejected') expect(result.reason).toMatchObject({ code: 'conflict' })
  }
  const members = (await listMembers(mine.as('viewer'))).filter(member => member.user_id === user.id)
  expect(members).toHaveLength(1)
  const joins = (await auditRows(t.sql, mine.organizationId)).filter(line => line.action === 'member.join')
  expect(joins).toHaveLength(1)
})

test('accepted and revoked at once, it is one or the other', async () => {
  const mine = await makeTenant(t.services)
  const { user, token, invitation } = await invited(mine)
  const [accepted, revoked] = await race(t, mine.organizationId, [
    () => acceptInvitation(t.services, user.id, token, null),
    () => revokeInvitation(mine.as('owner'), invitation.id),
  ])
  expect([accepted?.status, revoked?.status].sort()).toEqual(['fulfilled', 'rejected'])
  const joined = (await listMembers(mine.as('viewer'))).some(member => member.user_id === user.id)
  expect(joined).toBe(accepted?.status === 'fulfilled')
})

test('an expired and a revoked invitation let nobody in', async () => {
  const expired = await invited()
  const revoked = await invited()
  await revokeInvitation(tenant.as('owner'), revoked.invitation.id)
  await expect(acceptInvitation(t.services, revoked.user.id, revoked.token, null)).rejects.toMatchObject({
    code: 'conflict',
    message: expect.stringContaining('taken back'),
  })
  t.advance(7 * DAY_MS)
  expect(await getInvitation(t.services, expired.token)).toMatchObject({ state: 'expired' })
  await expect(acceptInvitation(t.services, expired.user.id, expired.token, null)).rejects.toMatchObject({
    code: 'conflict',
    message: expect.stringContaining('expired'),
  })
})

test('it is good for the address it was sent to and for no other, and stays open for that one', async () => {
  const { user, token } = await invited()
  const thief = await makeUser(t.services)
  const theft = acceptInvitation(t.services, thief.id, token, null)
  await expect(theft).rejects.toMatchObject({ code: 'forbidden' })
  await acceptInvitation(t.services, user.id, token, null)
})

test('an unknown token and an unknown user are not found', async () => {
  const { user, token } = await invited()
  await expect(acceptInvitation(t.services, user.id, 'no-token', null)).rejects.toMatchObject({
    code: 'not_found',
  })
  await expect(getInvitation(t.services, 'no-token')).rejects.toMatchObject({ code: 'not_found' })
  await expect(acceptInvitation(t.services, 'usr_x', token, null)).rejects.toMatchObject({
    code: 'not_found',
  })
})

test('what a removed or demoted admin has sent lets nobody in', async () => {
  const mine = await makeTenant(t.services)
  const second = asUser(mine.as('owner'), await addMember(t.services, mine.organizationId, 'owner'), 'owner')
  const guest = await makeUser(t.services)
  const byAdmin = await invited(mine)
  const byOwner = await inviteMember(second, { email: guest.email, role: 'owner' })
  await removeMember(mine.as('owner'), mine.userOf('admin'))
  await changeRole(mine.as('owner'), second.actor.kind === 'user' ? second.actor.id : '', { role: 'admin' })
  for (const [user, token] of [
    [byAdmin.user, byAdmin.token],
    [guest, byOwner.token],
  ] as const) {
    await expect(acceptInvitation(t.services, user.id, token, null)).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('may not give this role any more'),
    })
  }
})

test('what the system has sent is good, and a member is not let in twice', async () => {
  const user = await makeUser(t.services)
  const system = { ...tenant.as('owner'), actor: { kind: 'system', name: 'operator' } } as const
  const { token } = await inviteMember(system, { email: user.email, role: 'owner' })
  await t.sql`
    insert into memberships ${t.sql({ organization_id: tenant.organizationId, user_id: user.id, role: 'viewer' })}`
  await expect(acceptInvitation(t.services, user.id, token, null)).rejects.toMatchObject({
    code: 'conflict',
    message: expect.stringContaining('member of this organization already'),
  })
  await removeMember(tenant.as('owner'), user.id)
  expect(await acceptInvitation(t.services, user.id, token, null)).toMatchObject({ role: 'owner' })
})

test('a deleted organization is not joined', async () => {
  const mine = await makeTenant(t.services)
  const { user, token } = await invited(mine)
  await t.sql`update organizations set deleted_at = now() where id = ${mine.organizationId}`
  await expect(getInvitation(t.services, token)).rejects.toMatchObject({ code: 'not_found' })
  await expect(acceptInvitation(t.services, user.id, token, null)).rejects.toMatchObject({
    code: 'not_found',
  })
})
