import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import {
  auditRows,
  DAY_MS,
  makeTenant,
  makeUser,
  openServices,
  type TestServices,
} from '../../test/tenants.ts'
import { confirmEmail } from '../user/confirm-email.ts'
import { verifyPassword } from '../user/verify-password.ts'
import { inviteMember } from './invite-member.ts'
import { listMembers } from './list-members.ts'
import { registerByInvitation } from './register-by-invitation.ts'
import { revokeInvitation } from './revoke-invitation.ts'

// A hash at its full cost takes its time on a busy machine.
vi.mock('../user/password-cost.ts', () => ({ PASSWORD_COST: { log2N: 10, r: 8, p: 1 } }))

let t: TestServices
beforeAll(async () => {
  t = await openServices()
})
afterAll(() => t.drop())

const ADA = { name: 'Ada', password: 'correct horse' }
let count = 0
async function invited() {
  const tenant = await makeTenant(t.services)
  const email = `newcomer-${++count}@example.com`
  return { tenant, email, ...(await inviteMember(tenant.as('admin'), { email, role: 'developer' })) }
}
const accounts = async (email: string) => (await t.sql`select 1 from users where email = ${email}`).length

test('who has no account makes one by the link, is a member and signs in; the audit log says who', async () => {
  const { tenant, email, token, invitation } = await invited()
  const made = await registerByInvitation(t.services, token, ADA, 'rqs_1')
  expect(made).toMatchObject({ email, organization: { id: tenant.organizationId, role: 'developer' } })
  expect(await verifyPassword(t.services, email, ADA.password)).toMatchObject({ email })
  expect(await listMembers(tenant.as('viewer'))).toContainEqual(
    expect.objectContaining({ email, name: 'Ada', role: 'developer' }),
  )
  const audit = await auditRows(t.sql, tenant.organizationId)
  expect(audit.find(line => line.action === 'member.join')).toMatchObject({
    actor_name: 'Ada',
    after: { role: 'developer', invitation: invitation.id },
  })
  expect(JSON.stringify(audit)).not.toContain(ADA.password)
})

test('a link is good for one account, also when it is used twice at once', async () => {
  const { email, token } = await invited()
  const results = await Promise.allSettled([
    registerByInvitation(t.services, token, ADA, null),
    registerByInvitation(t.services, token, ADA, null),
  ])
  expect(results.filter(result => result.status === 'fulfilled')).toHaveLength(1)
  await expect(registerByInvitation(t.services, token, ADA, null)).rejects.toMatchObject({ code: 'conflict' })
  expect(await accounts(email)).toBe(1)
})

test('an invitation that is over makes no account, nor does one that is unknown', async () => {
  const revoked = await invited()
  await revokeInvitation(revoked.tenant.as('admin'), revoked.invitation.id)
  const late = await invited()
  const refusal = (token: string) => registerByInvitation(t.services, token, ADA, null)
  await expect(refusal(revoked.token)).rejects.toMatchObject({ code: 'conflict' })
  await expect(refusal('x'.repeat(43))).rejects.toMatchObject({ code: 'not_found' })
  t.advance(7 * DAY_MS)
  await expect(refusal(late.token)).rejects.toMatchObject({ code: 'conflict' })
  expect([await accounts(revoked.email), await accounts(late.email)]).toEqual([0, 0])
})

test('an address that has an account is told to sign in, and its password stays', async () => {
  const user = await makeUser(t.services)
  const tenant = await makeTenant(t.services)
  const { token } = await inviteMember(tenant.as('admin'), { email: user.email, role: 'viewer' })
  await expect(registerByInvitation(t.services, token, ADA, null)).rejects.toMatchObject({
    code: 'conflict',
    message: expect.stringContaining('Sign in instead'),
  })
  expect(await verifyPassword(t.services, user.email, ADA.password)).toBeNull()
})

test('a weak password and a name of many lines are named, and nothing is made', async () => {
  const { email, token } = await invited()
  const bad = registerByInvitation(t.services, token, { name: 'A\nB', password: 'short' }, null)
  await expect(bad).rejects.toMatchObject({
    issues: [expect.objectContaining({ field: 'name' }), expect.objectContaining({ field: 'password' })],
  })
  const own = registerByInvitation(t.services, token, { name: 'A', password: email }, null)
  await expect(own).rejects.toMatchObject({ issues: [expect.objectContaining({ field: 'password' })] })
  expect(await accounts(email)).toBe(0)
})

test('the address is not proven by it: who proves it later has the account to themselves', async () => {
  const { email, token } = await invited()
  await registerByInvitation(t.services, token, ADA, null)
  const [user] = await t.sql<{ id: string }[]>`select id from users where email = ${email}`
  await confirmEmail(t.services, user?.id ?? '')
  expect(await verifyPassword(t.services, email, ADA.password)).toBeNull()
})
