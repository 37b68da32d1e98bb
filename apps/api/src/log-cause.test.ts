import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestApi, type TestApi } from '../test/api-fixture.ts'
import { loggedCause } from './log-cause.ts'

let api: TestApi
beforeAll(async () => {
  api = await startTestApi()
})
afterAll(() => api.close())

async function failure(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => {
      throw new Error('it did not fail')
    },
    error => error,
  )
}

it('keeps what Postgres says of the place, and no value of the row', async () => {
  const { sql } = api.services
  const error = await failure(
    sql`insert into organizations (id, slug, name) values ('o', 'own', 'a customer secret')`,
  )
  const logged = loggedCause(error)
  expect(logged).toMatchObject({ name: 'PostgresError', code: '23505' })
  expect(logged.place).toContain('organizations')
  expect(logged.stack).toContain('at ')
  expect(JSON.stringify(logged)).not.toContain('a customer secret')
  expect(JSON.stringify(logged)).not.toContain('(own)')
})

it('leaves out what Postgres quotes of bad data', async () => {
  const { sql } = api.services
  const error = await failure(sql`select ${'a customer secret'}::text::timestamptz`)
  const logged = loggedCause(error)
  expect(logged).toMatchObject({ name: 'PostgresError', code: '22007' })
  expect(logged.message).toBe('invalid input syntax for type timestamp with time zone: "…"')
  expect(JSON.stringify(logged)).not.toContain('a customer secret')
})

it('leaves out the call that Prisma writes into its message', async () => {
  const call = api.services.prisma.organization.create({ data: { id: 'a customer secret' } as never })
  const logged = loggedCause(await failure(call))
  expect(logged.name).toMatch(/^PrismaClient/)
  expect(JSON.stringify(logged)).not.toContain('a customer secret')
})

it('follows causes, and takes what is no error', () => {
  const logged = loggedCause(new Error('outer', { cause: new Error('inner', { cause: 'text' }) }))
  expect(logged).toMatchObject({ message: 'outer', cause: { message: 'inner', cause: { name: 'string' } } })
})
