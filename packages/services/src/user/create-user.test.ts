import { afterAll, beforeAll, expect, test } from 'vitest'
import { openServices, type TestServices } from '../../test/tenants.ts'
import { createUser } from './create-user.ts'

let t: TestServices
beforeAll(async () => {
  t = await openServices()
})
afterAll(() => t.drop())

test('an account is made with its address in lower case and its password only as a hash', async () => {
  const user = await createUser(t.services, {
    email: 'Ada@Example.com',
    name: 'Ada',
    password: 'correct horse',
    email_verified: true,
  })
  expect(user).toEqual({
    id: expect.stringMatching(/^usr_/),
    email: 'ada@example.com',
    name: 'Ada',
    image: null,
  })
  const [row] = await t.sql`select * from users where id = ${user.id}`
  expect(row).toMatchObject({ email_verified: t.now(), created_at: t.now() })
  expect(row?.password_hash).toMatch(/^\$scrypt\$/)
  expect(JSON.stringify(row)).not.toContain('correct horse')
})

test('of two accounts at once with the same address in other letters one is made', async () => {
  const results = await Promise.allSettled([
    createUser(t.services, { email: 'twice@example.com' }),
    createUser(t.services, { email: 'Twice@example.com' }),
  ])
  expect(results.map(r => r.status).sort()).toEqual(['fulfilled', 'rejected'])
  const refused = results.find(r => r.status === 'rejected')
  expect(refused?.reason).toMatchObject({ code: 'conflict' })
})

test('each field that is wrong is named at once', async () => {
  const wrong = { email: 'ada', name: 'Ada\nLovelace', password: 'short' }
  await expect(createUser(t.services, wrong)).rejects.toMatchObject({
    code: 'invalid_request',
    issues: [
      { field: 'email', message: expect.stringContaining('e-mail address') },
      { field: 'name', message: expect.stringContaining('one line') },
      { field: 'password', message: 'at least 10 characters' },
    ],
  })
})
