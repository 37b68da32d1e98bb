import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { makeUser, openServices, type TestServices } from '../../test/tenants.ts'
import { changePassword } from './change-password.ts'
import { confirmEmail } from './confirm-email.ts'
import { createUser } from './create-user.ts'
import { setPassword } from './set-password.ts'
import { verifyPassword } from './verify-password.ts'

// A hash at its full cost takes its time on a busy machine, and these tests make many.
vi.mock('./password-cost.ts', () => ({ PASSWORD_COST: { log2N: 10, r: 8, p: 1 } }))

let t: TestServices
beforeAll(async () => {
  t = await openServices()
})
afterAll(() => t.drop())

test('who proves the present password gets the new one', async () => {
  const ada = await createUser(t.services, { email: 'ada@example.com', password: 'first password' })
  const change = { current_password: 'first password', new_password: 'second password' }
  await changePassword(t.services, ada.id, change)
  expect(await verifyPassword(t.services, ada.email, 'first password')).toBeNull()
  expect(await verifyPassword(t.services, ada.email, 'second password')).not.toBeNull()
  await expect(changePassword(t.services, ada.id, change)).rejects.toMatchObject({
    issues: [{ field: 'current_password', message: 'is not the present password.' }],
  })
})

test('of two changes at once only one is made', async () => {
  const bob = await createUser(t.services, { email: 'bob@example.com', password: 'first password' })
  const results = await Promise.allSettled(
    ['second password', 'third password'].map(new_password =>
      changePassword(t.services, bob.id, { current_password: 'first password', new_password }),
    ),
  )
  expect(results.filter(r => r.status === 'fulfilled')).toHaveLength(1)
})

test('an account without a password gets its first one, and only then must prove it', async () => {
  const eve = await makeUser(t.services)
  await changePassword(t.services, eve.id, { new_password: 'first password' })
  expect(await verifyPassword(t.services, eve.email, 'first password')).not.toBeNull()
  await expect(changePassword(t.services, eve.id, { new_password: 'second password' })).rejects.toMatchObject(
    { issues: [{ field: 'current_password' }] },
  )
})

test('a password too short is refused, and an unknown user is not found', async () => {
  const { id } = await makeUser(t.services)
  await expect(changePassword(t.services, id, { new_password: 'short' })).rejects.toMatchObject({
    issues: [{ field: 'new_password', message: 'at least 10 characters' }],
  })
  await expect(setPassword(t.services, id, 'short')).rejects.toMatchObject({
    issues: [{ field: 'password' }],
  })
  await expect(
    changePassword(t.services, 'usr_unknown', { new_password: 'long enough' }),
  ).rejects.toMatchObject({ code: 'not_found' })
  await expect(setPassword(t.services, 'usr_unknown', 'long enough')).rejects.toMatchObject({
    code: 'not_found',
  })
})

test('an address proven for the first time drops the password that was set before, later proofs do not', async () => {
  const squatted = await createUser(t.services, { email: 'victim@example.com', password: 'of the squatter' })
  await confirmEmail(t.services, squatted.id)
  expect(await verifyPassword(t.services, squatted.email, 'of the squatter')).toBeNull()
  await setPassword(t.services, squatted.id, 'of the victim')
  await confirmEmail(t.services, squatted.id)
  expect(await verifyPassword(t.services, squatted.email, 'of the victim')).not.toBeNull()
  await expect(confirmEmail(t.services, 'usr_unknown')).rejects.toMatchObject({ code: 'not_found' })
})
