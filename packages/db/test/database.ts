import { randomBytes } from 'node:crypto'
import { inject } from 'vitest'
import { createSql, type Sql } from '../src/sql.ts'
import type {} from './global-setup.ts'

/** A migrated database of its own for one test file. */
export interface TestDatabase {
  url: string
  /** A pool of 10 connections. */
  sql: Sql
  /** Ends the pool and drops the database, whoever else is connected. */
  drop(): Promise<void>
}

/**
 * Clones the migrated template, in some 30 ms. Call it in `beforeAll` and `drop()` in `afterAll`.
 *
 * @throws the server's error; Error when the test runs outside the `database` project of vitest.config.ts
 */
export async function createTestDatabase(): Promise<TestDatabase> {
  const { template, strategy } = inject('testServer')
  return createDatabase(`template ${template} strategy ${strategy}`)
}

/** A database with no tables, for tests of what makes them. */
export function createEmptyDatabase(): Promise<TestDatabase> {
  return createDatabase('template template0')
}

async function createDatabase(how: string): Promise<TestDatabase> {
  const server = inject('testServer')
  const name = `workly_test_${randomBytes(8).toString('hex')}`
  await withAdmin(server.url, async admin => {
    await admin.unsafe(`create database ${name} ${how}`)
  })
  const url = new URL(server.url)
  url.pathname = `/${name}`
  const sql = createSql(url.href, { max: 10, name: 'workly test' })
  return {
    url: url.href,
    sql,
    async drop() {
      await sql.end({ timeout: 5 })
      await withAdmin(server.url, async admin => {
        await admin`drop database if exists ${admin(name)} with (force)`
      })
    },
  }
}

async function withAdmin(url: string, work: (admin: Sql) => Promise<void>): Promise<void> {
  const admin = createSql(url, { max: 1, name: 'workly test admin' })
  try {
    await work(admin)
  } finally {
    await admin.end({ timeout: 5 })
  }
}
