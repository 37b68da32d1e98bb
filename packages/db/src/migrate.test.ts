import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createEmptyDatabase, type TestDatabase } from '../test/database.ts'
import { MigrationError, migrate, TASK_SCHEMA } from './migrate.ts'

let database: TestDatabase
let folder: string

beforeEach(async () => {
  database = await createEmptyDatabase()
  folder = await mkdtemp(join(tmpdir(), 'workly-migrations-'))
})

afterEach(async () => {
  await database.drop()
  await rm(folder, { recursive: true })
})

async function write(name: string, script: string): Promise<void> {
  await mkdir(join(folder, name), { recursive: true })
  await writeFile(join(folder, name, 'migration.sql'), script)
}

function rows() {
  return database.sql`
    select migration_name, checksum, finished_at is not null as finished, rolled_back_at is not null as rolled_back,
      applied_steps_count, logs
    from _prisma_migrations order by started_at`
}

async function tables(): Promise<string[]> {
  const found = await database.sql<{ name: string }[]>`
    select table_name as name from information_schema.tables
    where table_schema = 'public' and table_name not like '\\_%' order by 1`
  return found.map(row => row.name)
}

test('scripts are applied in order and recorded as Prisma records them', async () => {
  await write('20260102000000_second', 'alter table a add column b int;')
  await write('20260101000000_first', 'create table a (id int);\ncreate table c (id int);\n')
  await writeFile(join(folder, 'migration_lock.toml'), 'provider = "postgresql"\n')

  const result = await migrate(database.url, folder)

  expect(result).toEqual({ applied: ['20260101000000_first', '20260102000000_second'], unknown: [] })
  expect(await rows()).toEqual([
    {
      migration_name: '20260101000000_first',
      // sha256sum of the script
      checksum: '92956e345a7633f276d6d86957a1f86ec041e2347f8a4c715c0bd3c69a9e1661',
      finished: true,
      rolled_back: false,
      applied_steps_count: 1,
      logs: null,
    },
    expect.objectContaining({ migration_name: '20260102000000_second', finished: true }),
  ])
})

test("a second call applies nothing, and graphile-worker's tables are there", async () => {
  await write('1_a', 'create table a ();')
  await migrate(database.url, folder)

  expect(await migrate(database.url, folder)).toEqual({ applied: [], unknown: [] })
  const [found] =
    await database.sql`select to_regprocedure(${`${TASK_SCHEMA}.add_job(text,json,text,timestamptz,int,text,int,text[],text)`}) is not null as add_job`
  expect(found).toEqual({ add_job: true })
})

test('of several calls at once one works and the others wait for it', async () => {
  await write('1_a', 'create table a (); select pg_sleep(0.3);')
  const lines: string[] = []

  const results = await Promise.all(
    [1, 2, 3].map(() => migrate(database.url, folder, line => lines.push(line))),
  )

  expect(results.filter(result => result.applied.length === 1)).toHaveLength(1)
  expect(lines.filter(line => line.startsWith('Another process'))).toHaveLength(2)
  expect(await rows()).toHaveLength(1)
})

test('an edited migration is refused by name', async () => {
  await write('1_a', 'create table a ();')
  await migrate(database.url, folder)
  await write('1_a', 'create table a (id int);')

  await expect(migrate(database.url, folder)).rejects.toThrow(/Migration 1_a was edited after it was applied/)
})

test('other line ends are not an edit', async () => {
  await write('1_a', 'create table a ();\ncreate table b ();\n')
  await migrate(database.url, folder)
  await write('1_a', 'create table a ();\r\ncreate table b ();\r\n')

  expect(await migrate(database.url, folder)).toEqual({ applied: [], unknown: [] })
})

test('a script that fails leaves nothing behind but its reason, and is tried again', async () => {
  await write('1_a', 'create table a ();\ncreate table b ();\ncreate tible c ();')

  const failure = await migrate(database.url, folder).catch((error: unknown) => error)

  expect(failure).toBeInstanceOf(MigrationError)
  expect(String(failure)).toMatch(
    /1_a failed and was rolled back.*line 3: syntax error at or near "tible" \(42601\)/,
  )
  expect(await tables()).toEqual([])
  expect(await rows()).toEqual([
    expect.objectContaining({
      migration_name: '1_a',
      finished: false,
      rolled_back: true,
      logs: expect.stringContaining('line 3'),
    }),
  ])

  await write('1_a', 'create table a ();')
  expect(await migrate(database.url, folder)).toEqual({ applied: ['1_a'], unknown: [] })
  expect(await tables()).toEqual(['a'])
})

test('the scripts before the failing one stay applied', async () => {
  await write('1_a', 'create table a ();')
  await write('2_b', 'select 1/0;')

  await expect(migrate(database.url, folder)).rejects.toThrow(/2_b .*division by zero/)
  expect(await tables()).toEqual(['a'])
})

test('a database ahead of this code is left as it is, and the log says so', async () => {
  await write('1_a', 'create table a ();')
  await write('2_newer', 'create table b ();')
  await migrate(database.url, folder)
  await rm(join(folder, '2_newer'), { recursive: true })
  const lines: string[] = []

  const result = await migrate(database.url, folder, line => lines.push(line))

  expect(result).toEqual({ applied: [], unknown: ['2_newer'] })
  expect(lines).toEqual(['The database has migrations of a newer Workly (2_newer); going on.'])
})

test('an index is built concurrently, outside a transaction', async () => {
  await write('1_a', 'create table a (id int);')
  await write('2_b', '-- slow on a large table\ncreate index concurrently a_id on a (id);')

  expect((await migrate(database.url, folder)).applied).toEqual(['1_a', '2_b'])
  const [index] = await database.sql`select indisvalid from pg_index where indexrelid = 'a_id'::regclass`
  expect(index).toEqual({ indisvalid: true })
})

test('a failure outside a transaction stops every later call until it is marked as undone', async () => {
  await write('1_a', 'create table a (id int); insert into a values (1), (1);')
  await write('2_b', 'create unique index concurrently a_id on a (id);')
  await expect(migrate(database.url, folder)).rejects.toThrow(
    /2_b failed outside a transaction.*could not create unique index/,
  )

  const failure = await migrate(database.url, folder).catch((error: unknown) => error)
  expect(String(failure)).toMatch(/2_b was begun and did not finish/)

  // The statement the message gives.
  const undo = /(update _prisma_migrations .*?'[0-9a-f-]{36}')/.exec(String(failure))?.[1] ?? ''
  await database.sql.unsafe(`drop index a_id; delete from a; ${undo}`)
  expect((await migrate(database.url, folder)).applied).toEqual(['2_b'])
})

test("the repository's own migrations apply to an empty database", async () => {
  const own = new URL('../../../prisma/migrations', import.meta.url).pathname

  expect((await migrate(database.url, own)).applied.length).toBeGreaterThan(0)
  expect(await tables()).toContain('runs')
})
