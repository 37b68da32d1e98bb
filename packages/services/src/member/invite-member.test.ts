import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  ADMINS,
  auditRows,
  DAY_MS,
  fresh,
  makeTenant,
  makeUser,
  openServices,
  type Tenant,
  type TestServices,
  whoMay,
} from '../../test/tenants.ts'
import { ROLES, type Role } from '../context.ts'
import { wireInstant } from '../wire-instant.ts'
import { acceptInvitation } from './accept-invitation.ts'
import { getInvitation } from './get-invitation.ts'
import { inviteMember } from './invite-member.ts'
import { listInvitations } from './list-invitations.ts'
import { listMembers } from './list-members.ts'
import { revokeInvitation } from './revoke-invitation.ts'

let t: TestServices
let tenant: Tenant
beforeAll(async () => {
  t = await openServices()
  tenant = await makeTenant(t.services)
})
afterAll(() => t.drop())

const freshEmail = () => `${fresh('guest')}@example.com`

test('an invitation holds for 7 days, and its token is stored as a hash and in no log', async () => {
  const mine = await makeTenant(t.services)
  const { invitation, token } = await inviteMember(mine.as('admin'), {
    email: 'Guest@Example.com',
    role: 'developer',
  })
  expect(token).toMatch(/^[A-Za-z0-9_-]{43}$/)
  expect(invitation).toEqual({
    id: expect.stringMatching(/^inv_/),
    email: 'guest@example.com',
    role: 'developer',
    state: 'open',
    created_at: wireInstant(t.now()),
    expires_at: wireInstant(new Date(t.now().getTime() + 7 * DAY_MS)),
  })
  expect(await listInvitations(mine.as('admin'))).toEqual([invitation])
  const [row] = await t.sql<{ everything: string; token_hash: Buffer }[]>`
    select i::text as everything, token_hash from invitations i where id = ${invitation.id}`
  expect(row?.everything).not.toContain(token)
  const audit = await auditRows(t.sql, mine.organizationId)
  expect(audit.find(line => line.action === 'member.invite')).toMatchObject({
    subject_id: invitation.id,
    after: { email: 'guest@example.com', role: 'developer' },
  })
  expect(JSON.stringify(audit)).not.toContain(token)
})

test.each(ROLES)('a role of %s is given by those who have it', async role => {
  const invites = await whoMay(tenant, ctx => inviteMember(ctx, { email: freshEmail(), role }))
  expect(invites).toEqual(role === 'owner' ? ['owner'] : ADMINS)
})

test('only admins and owners see and revoke invitations; no key does', async () => {
  const { invitation } = await inviteMember(tenant.as('owner'), { email: freshEmail(), role: 'viewer' })
  expect(await whoMay(tenant, listInvitations)).toEqual(ADMINS)
  expect(await whoMay(tenant, ctx => revokeInvitation(ctx, invitation.id))).toEqual(ADMINS)
})

test('a second invitation of the same address takes the first one back', async () => {
  const mine = await makeTenant(t.services)
  const email = freshEmail()
  const first = await inviteMember(mine.as('owner'), { email, role: 'admin' })
  const second = await inviteMember(mine.as('owner'), { email, role: 'viewer' })
  expect(await listInvitations(mine.as('owner'))).toEqual([second.invitation])
  expect(await getInvitation(t.services, first.token)).toMatchObject({ state: 'revoked' })
})

test('two invitations of an address at once leave one open', async () => {
  const mine = await makeTenant(t.services)
  const email = freshEmail()
  await Promise.all(ROLES.map(role => inviteMember(mine.as('owner'), { email, role })))
  expect(await listInvitations(mine.as('owner'))).toHaveLength(1)
})

test('a member is not invited, and wrong fields are each named', async () => {
  const [member] = await listMembers(tenant.as('owner'))
  const invite = inviteMember(tenant.as('owner'), { email: member?.email ?? '', role: 'viewer' })
  await expect(invite).rejects.toMatchObject({ code: 'conflict' })
  const wrong = inviteMember(tenant.as('owner'), { email: 'nobody', role: 'root' as Role })
  await expect(wrong).rejects.toMatchObject({ issues: [{ field: 'email' }, { field: 'role' }] })
})

test('a revoked invitation is gone from the list, and revoking it again changes nothing', async () => {
  const mine = await makeTenant(t.services)
  const { invitation, token } = await inviteMember(mine.as('owner'), { email: freshEmail(), role: 'viewer' })
  await revokeInvitation(mine.as('admin'), invitation.id)
  await revokeInvitation(mine.as('admin'), invitation.id)
  expect(await listInvitations(mine.as('admin'))).toEqual([])
  expect(await getInvitation(t.services, token)).toMatchObject({ state: 'revoked' })
  const actions = (await auditRows(t.sql, mine.organizationId)).map(line => line.action)
  expect(actions.filter(action => action === 'member.revoke_invitation')).toHaveLength(1)
})

test('an accepted invitation is not revoked, and another tenant’s is not found', async () => {
  const guest = await makeUser(t.services)
  const { invitation, token } = await inviteMember(tenant.as('owner'), { email: guest.email, role: 'viewer' })
  const other = await makeTenant(t.services)
  const foreign = revokeInvitation(other.as('owner'), invitation.id)
  await expect(foreign).rejects.toMatchObject({ code: 'not_found' })
  await expect(revokeInvitation(tenant.as('owner'), 'inv_x')).rejects.toMatchObject({ code: 'not_found' })
  await acceptInvitation(t.services, guest.id, token, null)
  const late = revokeInvitation(tenant.as('owner'), invitation.id)
  await expect(late).rejects.toMatchObject({ code: 'conflict' })
})
