import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { makeUser, openServices, type TestServices } from '../../test/tenants.ts'
import { changePassword } from '../user/change-password.ts'
import { confirmEmail } from '../user/confirm-email.ts'
import { createUser } from '../user/create-user.ts'
import { setPassword } from '../user/set-password.ts'
import { verifyPassword } from '../user/verify-password.ts'
import { endSessions, readSession } from './session.ts'

// A hash at its full cost takes its time on a busy machine.
vi.mock('../user/password-cost.ts', () => ({ PASSWORD_COST: { log2N: 10, r: 8, p: 1 } }))

let t: TestServices
beforeAll(async () => {
  t = await openServices()
})
afterAll(() => t.drop())

const PASSWORD = 'a long password'

async function signIn(email: string, password: string) {
  const user = await verifyPassword(t.services, email, password)
  if (!user) throw new Error('the password does not fit')
  return { userId: user.id, epoch: user.sessionEpoch }
}

test('a session tells whose it is, as they are called now', async () => {
  const { id, email } = await createUser(t.services, { email: 'ada@example.com', password: PASSWORD })
  const session = await signIn(email, PASSWORD)
  expect(await readSession(t.services, session)).toEqual({ userId: id, email, name: null })
  await t.sql`update users set name = 'Ada' where id = ${id}`
  expect(await readSession(t.services, session)).toMatchObject({ name: 'Ada' })
  await t.sql`delete from users where id = ${id}`
  expect(await readSession(t.services, session)).toBeNull()
})

test('a changed password ends every session of that person, and of nobody else', async () => {
  const { id, email } = await createUser(t.services, { email: 'bob@example.com', password: PASSWORD })
  const other = await makeUser(t.services)
  const before = [await signIn(email, PASSWORD), await signIn(email, PASSWORD)]
  await changePassword(t.services, id, { current_password: PASSWORD, new_password: 'another password' })
  for (const session of before) expect(await readSession(t.services, session)).toBeNull()
  const after = await signIn(email, 'another password')
  expect(await readSession(t.services, after)).not.toBeNull()
  await setPassword(t.services, id, 'a third password')
  expect(await readSession(t.services, after)).toBeNull()
  expect(await readSession(t.services, { userId: other.id, epoch: 0 })).not.toBeNull()
})

test('a change of the password that was refused ends no session', async () => {
  const { id, email } = await createUser(t.services, { email: 'carl@example.com', password: PASSWORD })
  const session = await signIn(email, PASSWORD)
  const wrong = { current_password: 'not the password', new_password: 'another password' }
  await expect(changePassword(t.services, id, wrong)).rejects.toMatchObject({ code: 'invalid_request' })
  expect(await readSession(t.services, session)).not.toBeNull()
})

test('who took an address in advance is out once its owner proves it; later proofs end nothing', async () => {
  const { id, email } = await createUser(t.services, { email: 'victim@example.com', password: PASSWORD })
  const squatter = await signIn(email, PASSWORD)
  await confirmEmail(t.services, id)
  expect(await readSession(t.services, squatter)).toBeNull()
  const [row] = await t.sql<{ session_epoch: number }[]>`select session_epoch from users where id = ${id}`
  await confirmEmail(t.services, id)
  expect(await readSession(t.services, { userId: id, epoch: row?.session_epoch ?? -1 })).not.toBeNull()
})

test('everywhere at once: sessions are ended wherever they are', async () => {
  const { id } = await makeUser(t.services)
  await endSessions(t.services, id)
  expect(await readSession(t.services, { userId: id, epoch: 0 })).toBeNull()
  expect(await readSession(t.services, { userId: id, epoch: 1 })).not.toBeNull()
  await expect(endSessions(t.services, 'usr_x')).rejects.toMatchObject({ code: 'not_found' })
})
