import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../test/database.ts'
import { AnsweredSocket } from './answered-socket.ts'
import { createSql } from './sql.ts'

const WITHIN_MS = 1_000

let database: TestDatabase
let proxy: Server
let url: string
/** Connections made while this is set pass nothing on any more once they are in it. */
const blocked = new Set<Socket>()
const open = new Set<Socket>()

beforeAll(async () => {
  database = await createTestDatabase()
  const direct = new URL(database.url)
  proxy = createServer(client => {
    const server = connect(Number(direct.port), direct.hostname)
    open.add(client)
    client.on('data', chunk => blocked.has(client) || server.write(chunk))
    server.on('data', chunk => blocked.has(client) || client.write(chunk))
    client.on('error', () => server.destroy()).on('close', () => server.destroy())
    server.on('error', () => client.destroy()).on('close', () => blocked.has(client) || client.destroy())
  }).listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  const through = new URL(database.url)
  through.port = String((proxy.address() as AddressInfo).port)
  url = through.href
})

afterAll(async () => {
  for (const socket of open) socket.destroy()
  proxy?.close()
  await database?.drop()
})

/** Whether a statement fails. */
function fails(statement: Promise<unknown>): Promise<boolean> {
  return statement.then(
    () => false,
    () => true,
  )
}

/** From now on what is open is half open. */
function forget(): void {
  for (const socket of open) blocked.add(socket)
}

test('a statement on a connection that is half open fails, and the next goes by another', async () => {
  const sql = createSql(url, { max: 1, name: 'half open', answerWithinMs: WITHIN_MS })
  await sql`select 1`
  forget()

  expect(await fails(sql`select 2`)).toBe(true)
  await expect.poll(() => sql`select 3 as three`.catch(() => null)).toEqual([{ three: 3 }])
  await sql.end()
})

test('statements sent behind one another fail together, however many follow', async () => {
  const sql = createSql(url, { max: 1, name: 'half open', answerWithinMs: WITHIN_MS })
  await sql`select 1`
  forget()
  const failed: unknown[] = []
  const more = setInterval(() => void sql`select 4`.catch(error => failed.push(error)), WITHIN_MS / 10)
  expect(await fails(sql`select 2`)).toBe(true)
  clearInterval(more)

  expect(failed.length).toBeGreaterThan(0)
  await expect.poll(() => sql`select 3 as three`.catch(() => null)).toEqual([{ three: 3 }])
  await sql.end()
})

test('connections that rest while one is found to be half open are given up with it', async () => {
  const sql = createSql(url, { max: 4, name: 'half open', answerWithinMs: WITHIN_MS })
  await Promise.all(Array.from({ length: 4 }, () => sql`select pg_sleep(0.1)`))
  forget()
  expect(await fails(sql`select 2`)).toBe(true)

  // One after the other they would take a second each to be found.
  const from = performance.now()
  for (let n = 0; n < 4; n++)
    await expect.poll(() => sql`select 3 as three`.catch(() => null)).toEqual([{ three: 3 }])
  expect(performance.now() - from).toBeLessThan(WITHIN_MS * 2)
  await sql.end()
})

test('a client of pg is told in the same way', async () => {
  const client = new pg.Client({ connectionString: url, stream: () => new AnsweredSocket(WITHIN_MS) })
  client.on('error', () => undefined)
  await client.connect()
  await client.query('select 1')
  forget()

  await expect(client.query('select 2')).rejects.toThrow(/not answered/)
})

test('a connection that rests, or that listens, is kept', async () => {
  const sql = createSql(url, { max: 1, name: 'resting', answerWithinMs: WITHIN_MS })
  const heard = Promise.withResolvers<string>()
  await sql.listen('resting', payload => heard.resolve(payload))
  const pids = () => database.sql<{ pid: number }[]>`
    select pid from pg_stat_activity where application_name = 'resting' order by pid`
  await sql`select 1`
  const before = await pids()
  // Longer than an answer may take.
  await database.sql`select pg_sleep(${(WITHIN_MS * 2) / 1_000})`

  expect(await pids()).toEqual(before)
  await database.sql.notify('resting', 'still here')
  expect(await heard.promise).toBe('still here')
  await sql.end()
})

test('who falls silent in the middle of a transaction lets go of its locks', async () => {
  const settings = { idle_in_transaction_session_timeout: '500' }
  const sql = createSql(url, { max: 1, name: 'silent', answerWithinMs: WITHIN_MS, settings })
  await database.sql`create table held (id int primary key)`
  await database.sql`insert into held values (1)`
  const lost = sql.begin(async tx => {
    await tx`select from held where id = 1 for update`
    forget()
    await tx`select 2`
  })
  const failed = expect(lost).rejects.toThrow()

  expect(await database.sql`update held set id = 2 returning id`).toEqual([{ id: 2 }])
  await failed
  await sql.end()
  const [row] = await createSqlOnce()
  expect(row).toEqual({ idle_in_transaction_session_timeout: '10s' })
})

/** What every pool has by default. */
async function createSqlOnce() {
  const sql = createSql(database.url, { max: 1, name: 'plain' })
  const rows = await sql`show idle_in_transaction_session_timeout`
  await sql.end()
  return rows
}
