import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../test/database.ts'
import { createSql } from './sql.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database?.drop())

/** Statements long enough to be written at once, and short ones that wait for their turn. */
const texts = ['select 1', `select '${'x'.repeat(2_000)}'`]

test('statements sent while their connections are closed fail or are answered, and end nothing else', async () => {
  const sql = createSql(database.url, { max: 3, name: 'closed under it' })
  let settled = 0
  for (let round = 0; round < 60; round++) {
    const statements = Array.from({ length: 12 }, (_, i) =>
      sql.unsafe(texts[i % 2] ?? '').then(
        () => settled++,
        () => settled++,
      ),
    )
    const closing = database.sql`
      select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'closed under it'`
    await Promise.all([...statements, closing])
  }
  expect(settled).toBe(60 * 12)
  expect(await sql`select 1 as one`).toEqual([{ one: 1 }])
  await sql.end()
})

test('a transaction whose connection was closed runs nothing more, not even on the connection that took its place', async () => {
  const sql = createSql(database.url, { max: 1, name: 'lost transaction' })
  await database.sql`create table traces (what text)`
  const closed = sql.begin(async tx => {
    const [self] = await tx<{ pid: number }[]>`select pg_backend_pid() as pid`
    await database.sql`select pg_terminate_backend(${self?.pid ?? 0})`
    // Whoever asks next has the same connection opened again.
    await sql`select 1`.catch(() => undefined)
    await tx`insert into traces values ('outside of any transaction')`
  })
  await expect(closed).rejects.toThrow()
  await sql`select 1`
  expect(await database.sql`select * from traces`).toEqual([])
  await sql.end()
})
