import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../test/database.ts'

/** Tables that belong to no organization (spec section 10), and the organizations themselves. */
const OF_NOBODY = [
  '_prisma_migrations',
  'accounts',
  'installations',
  'organizations',
  'sessions',
  'sign_in_tokens',
  'users',
  'workers',
]

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database?.drop())

async function tenantTables(): Promise<string[]> {
  const rows = await database.sql<{ name: string }[]>`
    select table_name as name from information_schema.columns
    where table_schema = 'public' and column_name = 'organization_id' and is_nullable = 'NO' order by 1`
  return rows.map(row => row.name)
}

test("every table of an organization's data says whose it is", async () => {
  const rows = await database.sql<{ name: string }[]>`
    select table_name as name from information_schema.tables
    where table_schema = 'public' and table_type = 'BASE TABLE' order by 1`
  const ofTenants = await tenantTables()
  expect(ofTenants).toContain('runs')
  const others = rows.map(row => row.name).filter(name => !ofTenants.includes(name))
  expect(others.filter(name => !OF_NOBODY.includes(name))).toEqual([])
})

test("a foreign key from one tenant's table to another holds the organization, so that no row can refer across", async () => {
  const ofTenants = await tenantTables()
  const keys = await database.sql<{ name: string; columns: string[]; referred: string[] }[]>`
    select c.conname as name,
      array(select attname::text from pg_attribute where attrelid = c.conrelid and attnum = any(c.conkey)) as columns,
      array(select attname::text from pg_attribute where attrelid = c.confrelid and attnum = any(c.confkey)) as referred
    from pg_constraint c
    where c.contype = 'f' and c.conrelid::regclass::text = any(${ofTenants})
      and c.confrelid::regclass::text = any(${ofTenants})`
  expect(keys.length).toBeGreaterThan(10)
  const loose = keys.filter(
    key => !key.columns.includes('organization_id') || !key.referred.includes('organization_id'),
  )
  expect(loose.map(key => key.name)).toEqual([])
})
