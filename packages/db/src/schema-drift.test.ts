import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../test/database.ts'
import { type Migration, readMigrations } from './migration-files.ts'
import { askPrisma } from './schema-drift.ts'

const PRISMA = fileURLToPath(new URL('../../../prisma/', import.meta.url))

let database: TestDatabase
let schema: string
let migrations: Migration[]

beforeAll(async () => {
  database = await createTestDatabase()
  schema = await readFile(`${PRISMA}schema.prisma`, 'utf8')
  migrations = await readMigrations(`${PRISMA}migrations`)
})

afterAll(() => database.drop())

test('the migrated database is what schema.prisma says, and Prisma would apply nothing more', async () => {
  expect(await askPrisma(database.url, schema, migrations)).toEqual({
    drift: '',
    unapplied: [],
    failed: [],
    edited: [],
  })
})

test('a column, an index and a foreign key that schema.prisma does not have are seen', async () => {
  const other = await createTestDatabase()
  try {
    await other.sql`alter table users add column nickname text`
    await other.sql`create index users_name on users (name)`
    await other.sql`alter table sessions drop constraint sessions_user_id_fkey`

    const { drift } = await askPrisma(other.url, schema, migrations)

    expect(drift).toContain('DROP COLUMN "nickname"')
    expect(drift).toContain('DROP INDEX "users_name"')
    expect(drift).toContain('ADD CONSTRAINT "sessions_user_id_fkey"')
  } finally {
    await other.drop()
  }
})

test('Prisma sees a new, an edited and a failed migration in the table we keep', async () => {
  const other = await createTestDatabase()
  try {
    const extra: Migration = {
      name: '99990101000000_extra',
      script: 'select 1;',
      checksum: '',
      transactional: true,
    }
    expect((await askPrisma(other.url, schema, [...migrations, extra])).unapplied).toEqual([extra.name])

    const edited = migrations.map(migration => ({ ...migration, script: `${migration.script}\n-- edited` }))
    expect((await askPrisma(other.url, schema, edited)).edited).toEqual(migrations.map(({ name }) => name))

    await other.sql`
      insert into _prisma_migrations (id, checksum, migration_name, logs) values ('1', '', ${extra.name}, 'broke')`
    expect((await askPrisma(other.url, schema, migrations)).failed).toEqual([extra.name])
  } finally {
    await other.drop()
  }
})
