import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import { answeredConnections, createPrisma, createSql } from '@workly/db'
import { createTestDatabase, type TestDatabase } from '@workly/db/testing'
import { selfSigned } from '@workly/delivery/testing'
import pg from 'pg'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'

/** The shortest that the slowest statement of a busy machine takes is far below this. */
const WITHIN_MS = 2_000

let database: TestDatabase
let proxy: Server
let url: string
/** The same for pg, which calls it otherwise. */
let pgUrl: string
const open = new Set<Socket>()
/** What is in here passes nothing on any more, and neither end is told. */
const forgotten = new Set<Socket>()

/** PostgreSQL behind a proxy that speaks TLS after the S that answers an SSLRequest (protocol 3, message formats). */
beforeAll(async () => {
  database = await createTestDatabase()
  const direct = new URL(database.url)
  const certificate = selfSigned({ names: ['localhost', '127.0.0.1'] })
  proxy = createServer(socket => {
    socket.on('error', () => undefined)
    open.add(socket)
    socket.once('data', () => {
      socket.write('S')
      const client = new TLSSocket(socket, { isServer: true, ...certificate })
      const server = connect(Number(direct.port), direct.hostname)
      client.on('data', chunk => forgotten.has(socket) || server.write(chunk))
      server.on('data', chunk => forgotten.has(socket) || client.write(chunk))
      client.on('error', () => server.destroy()).on('close', () => server.destroy())
      server.on('error', () => client.destroy()).on('close', () => forgotten.has(socket) || client.destroy())
    })
  }).listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  const through = new URL(database.url)
  through.port = String((proxy.address() as AddressInfo).port)
  // Neither of the two then asks who vouches for the certificate.
  through.searchParams.set('sslmode', 'require')
  url = through.href
  through.searchParams.set('sslmode', 'no-verify')
  pgUrl = through.href
})

afterAll(async () => {
  for (const socket of open) socket.destroy()
  proxy?.close()
  await database?.drop()
})

beforeEach(() => forgotten.clear())

const forget = () => {
  for (const socket of open) forgotten.add(socket)
}

/** How long a statement takes to fail, in milliseconds. */
async function failsAfter(statement: () => PromiseLike<unknown>): Promise<number> {
  const from = performance.now()
  await expect(statement()).rejects.toThrow()
  return performance.now() - from
}

test('under TLS too a statement on a half-open connection fails, and the next goes by another', async () => {
  const sql = createSql(url, { max: 1, name: 'tls', answerWithinMs: WITHIN_MS })
  // Much goes both ways before: the last question of many is what stays without an answer.
  for (let n = 0; n < 50; n++) await sql`select ${'x'.repeat(n * 1_000)} as text`
  forget()
  expect(await failsAfter(() => sql`select 2`)).toBeLessThan(WITHIN_MS * 3)
  await expect.poll(() => sql`select 3 as three`.catch(() => null)).toEqual([{ three: 3 }])
  await sql.end()
})

test('under TLS too a connection that rests, or that listens, is kept', async () => {
  const sql = createSql(url, { max: 1, name: 'tls resting', answerWithinMs: 500 })
  const heard = Promise.withResolvers<string>()
  await sql.listen('resting', payload => heard.resolve(payload))
  await sql`select 1`
  const pids = () => database.sql`
    select pid from pg_stat_activity where application_name = 'tls resting' order by pid`
  const before = await pids()
  // Much longer than an answer may take, also one that is in doubt.
  await database.sql`select pg_sleep(4)`
  expect(before).not.toEqual([])
  expect(await pids()).toEqual(before)
  await database.sql.notify('resting', 'still here')
  expect(await heard.promise).toBe('still here')
  await sql.end()
})

test('under TLS too the queue and Prisma are told', async () => {
  const client = new pg.Client({ connectionString: pgUrl, stream: answeredConnections(pgUrl, WITHIN_MS) })
  client.on('error', () => undefined)
  await client.connect()
  await client.query('select 1')
  const prisma = createPrisma(pgUrl, { max: 1, name: 'tls prisma', answerWithinMs: WITHIN_MS })
  expect(await prisma.$queryRaw`select repeat('y', 3000000) as long`).toHaveLength(1)
  forget()
  await Promise.all([
    expect(client.query('select 2')).rejects.toThrow(),
    expect(prisma.$queryRaw`select 2`).rejects.toThrow(),
  ])
  await expect.poll(() => prisma.$queryRaw`select 3 as three`.catch(() => null)).toEqual([{ three: 3 }])
  await prisma.$disconnect()
})
