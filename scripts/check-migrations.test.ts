import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { checkMigrations } from './check-migrations.mjs'

const FIRST = 'prisma/migrations/20260101000000_first/migration.sql'

let root: string

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'workly-released-'))
  write('prisma/migrations/migration_lock.toml', 'provider = "postgresql"\n')
  write(FIRST, 'select 1;')
})

afterEach(() => rmSync(root, { recursive: true }))

function write(path: string, content: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), content)
}

function release(tag: string): void {
  const git = (...args: string[]) =>
    execFileSync('git', ['-C', root, '-c', 'user.name=t', '-c', 'user.email=t@example.com', ...args])
  git('init', '-q')
  git('add', '.')
  git('commit', '-q', '-m', tag)
  git('tag', tag)
}

test('an ordered list with its lock passes, released or not', async () => {
  expect(await checkMigrations(root)).toEqual([])
  release('v1.0.0')
  expect(await checkMigrations(root)).toEqual([])
})

test('a released migration may not be edited or removed; a new one may come', async () => {
  write('prisma/migrations/20260102000000_second/migration.sql', 'select 2;')
  release('v1.0.0')
  write(FIRST, 'select 3;')
  rmSync(join(root, 'prisma/migrations/20260102000000_second'), { recursive: true })
  write('prisma/migrations/20260103000000_third/migration.sql', 'select 3;')

  expect(await checkMigrations(root)).toEqual([
    `${FIRST} was released with v1.0.0 and may not change: write a new migration`,
    'prisma/migrations/20260102000000_second/migration.sql was released with v1.0.0 and may not change: write a new migration',
  ])
})

test.each([
  ['a name without a time', 'prisma/migrations/first/migration.sql', /first must be named YYYYMMDDHHMMSS/],
  [
    'a folder without a script',
    'prisma/migrations/20260105000000_empty/notes.md',
    /20260105000000_empty has no migration\.sql/,
  ],
  [
    'a time used twice',
    'prisma/migrations/20260101000000_other/migration.sql',
    /two migrations have the time 20260101000000/,
  ],
])('%s is refused', async (_what, path, message) => {
  write(path, 'select 1;')

  expect(await checkMigrations(root)).toEqual([expect.stringMatching(message)])
})

test('the lock file names the database', async () => {
  write('prisma/migrations/migration_lock.toml', 'provider = "mysql"\n')

  expect(await checkMigrations(root)).toEqual([
    'prisma/migrations/migration_lock.toml must say provider = "postgresql"',
  ])
})

test.each([
  ['alter table jobs drop column name;', 'takes away what released code still reads'],
  ['DROP TABLE "jobs";', 'takes away what released code still reads'],
  ['alter table jobs rename column a to b;', 'renames what released code still reads'],
  ['alter table jobs alter column a type bigint;', 'changes the type of what released code still writes'],
  ['alter table jobs alter column a set not null;', 'asks for a value that released code need not write'],
  ['alter table jobs add column a text not null;', 'asks for a value that released code does not write'],
])('a new migration may not break released code that runs beside it: %s', async (sql, why) => {
  release('v1.0.0')
  const file = 'prisma/migrations/20260102000000_second/migration.sql'
  write(file, sql)
  expect(await checkMigrations(root)).toEqual([expect.stringContaining(`${file} ${why}`)])
  write(file, `-- beside old code: nothing has written there yet\n${sql}`)
  expect(await checkMigrations(root)).toEqual([])
})

test('what released code does not see may come: columns that may be empty or have a default, tables, indexes', async () => {
  release('v1.0.0')
  write(
    'prisma/migrations/20260102000000_second/migration.sql',
    `alter table jobs add column a text, add column b int not null default 0, add column c int default 1 not null;
     -- never drop column a
     create table t (a text not null); create index i on t (a); drop index j;`,
  )
  expect(await checkMigrations(root)).toEqual([])
})
