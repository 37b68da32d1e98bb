import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { openServices, type TestServices } from '../../test/tenants.ts'
import { createUser } from './create-user.ts'
import { matchesPassword } from './password-hash.ts'
import { verifyPassword } from './verify-password.ts'

vi.mock('./password-hash.ts', { spy: true })
// A hash at its full cost takes its time on a busy machine, and these tests make many.
vi.mock('./password-cost.ts', () => ({ PASSWORD_COST: { log2N: 10, r: 8, p: 1 } }))

let t: TestServices
beforeAll(async () => {
  t = await openServices()
  await createUser(t.services, { email: 'ada@example.com', name: 'Ada', password: 'correct horse' })
  await createUser(t.services, { email: 'link@example.com' })
})
beforeEach(() => {
  vi.mocked(matchesPassword).mockClear()
})
afterAll(() => t.drop())

test('the right password signs in, however the address is written', async () => {
  expect(await verifyPassword(t.services, 'ADA@example.com', 'correct horse')).toEqual({
    id: expect.stringMatching(/^usr_/),
    email: 'ada@example.com',
    name: 'Ada',
    image: null,
    sessionEpoch: 0,
  })
})

test.each([
  ['a wrong password', 'ada@example.com', 'wrong horse!'],
  ['an unknown address', 'eve@example.com', 'correct horse'],
  ['an account without a password', 'link@example.com', 'correct horse'],
  ['a text that is no address', 'ada', 'correct horse'],
  ['a password too short to be one', 'ada@example.com', 'x'],
  ['a password too long to be one', 'ada@example.com', 'x'.repeat(100_000)],
])('%s does not sign in, after one hash', async (_, email, password) => {
  expect(await verifyPassword(t.services, email, password)).toBeNull()
  expect(matchesPassword).toHaveBeenCalledTimes(1)
  await expect(vi.mocked(matchesPassword).mock.results[0]?.value).resolves.toBe(false)
})
