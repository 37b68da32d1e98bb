import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../test/database.ts'
import { createPrisma } from './client.ts'
import { createSql } from './sql.ts'

let database: TestDatabase

beforeAll(async () => {
  database = await createTestDatabase()
})

afterAll(() => database.drop())

test('int8 comes as a number and goes in as one', async () => {
  const [row] = await database.sql<{ count: number; largest: number }[]>`
    select count(*) as count, ${Number.MAX_SAFE_INTEGER}::int8 as largest from generate_series(1, 3)`

  expect(row).toEqual({ count: 3, largest: Number.MAX_SAFE_INTEGER })
})

test('an int8 that a number cannot hold fails its statement, and the pool goes on', async () => {
  await expect(database.sql`select 9007199254740993::int8 as beyond`).rejects.toThrow(RangeError)

  const [row] = await database.sql`select 1::int8 as one`
  expect(row).toEqual({ one: 1 })
})

test('a timestamptz is the same instant through both pools, whatever zone the database is set to', async () => {
  const name = new URL(database.url).pathname.slice(1)
  await database.sql`alter database ${database.sql(name)} set timezone to 'Asia/Kathmandu'`
  const at = new Date('2026-12-01T03:00:00Z')
  const sql = createSql(database.url, { max: 1, name: 'zone' })
  const prisma = createPrisma(database.url, { max: 1 })
  try {
    // Both ways each, told by the server: an adapter that drops offsets in both directions agrees with itself.
    const [row] = await sql<{ at: Date; seconds: number }[]>`
      select to_timestamp(1796094000) as at, extract(epoch from ${at}::timestamptz)::float8 as seconds`
    const viaPrisma = await prisma.$queryRaw<{ at: Date; seconds: number }[]>`
      select to_timestamp(1796094000) as at, extract(epoch from ${at}::timestamptz)::float8 as seconds`

    expect(row).toEqual({ at, seconds: 1_796_094_000 })
    expect(viaPrisma).toEqual([row])
  } finally {
    await sql.end()
    await prisma.$disconnect()
  }
})

test('a pool shows its name to the operator', async () => {
  const sql = createSql(database.url, { max: 1, name: 'workly api' })
  try {
    const [row] = await sql`select current_setting('application_name') as name`
    expect(row).toEqual({ name: 'workly api' })
  } finally {
    await sql.end()
  }
})
