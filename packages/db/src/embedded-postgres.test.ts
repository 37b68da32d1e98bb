import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, test } from 'vitest'
import {
  type EmbeddedPostgres,
  type EmbeddedPostgresOptions,
  removeEmbeddedPostgres,
  startEmbeddedPostgres,
} from './embedded-postgres.ts'
import { createSql, type Sql } from './sql.ts'

const HOLDER = fileURLToPath(new URL('../test/hold-embedded.ts', import.meta.url))
const isRoot = process.getuid?.() === 0

let root: string
let dataDir: string
let sharedHome: string
const children: ChildProcessByStdio<Writable, Readable, null>[] = []

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), `workly-test-${process.pid}-`))
  chmodSync(root, 0o755)
  dataDir = join(root, 'a folder', 'postgres')
  sharedHome = join(root, 'shared')
})

afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
  chmodSync(root, 0o755)
  await removeEmbeddedPostgres(dataDir, sharedHome).catch(() => undefined)
  rmSync(root, { recursive: true, force: true })
})

function start(options: Partial<EmbeddedPostgresOptions> = {}): Promise<EmbeddedPostgres> {
  return startEmbeddedPostgres({ dataDir, fast: true, sharedHome, ...options })
}

async function withSql<T>(url: string, work: (sql: Sql) => Promise<T>): Promise<T> {
  const sql = createSql(url, { max: 1, name: 'test' })
  try {
    return await work(sql)
  } finally {
    await sql.end({ timeout: 1 })
  }
}

/** Starts the server in another process and waits until that says it is up. */
async function startInChild() {
  const child = spawn(process.execPath, [HOLDER, dataDir], { stdio: ['pipe', 'pipe', 'inherit'] })
  children.push(child)
  const [line] = await once(createInterface(child.stdout), 'line')
  const said: { pid: number; port: number; reused: boolean } = JSON.parse(String(line))
  return { child, ...said }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}

test('the first start makes a PostgreSQL 18 on loopback only, whose password only its owner can read', async () => {
  const server = await start()
  try {
    const [row] = await withSql(
      server.url,
      sql => sql`
        select current_setting('server_version_num')::int / 10000 as major, current_database() as database,
          current_setting('listen_addresses') as listens, current_setting('unix_socket_directories') as sockets,
          current_setting('max_connections') as connections, current_setting('server_encoding') as encoding`,
    )

    expect(row).toEqual({
      major: 18,
      database: 'workly',
      listens: '127.0.0.1',
      sockets: '',
      connections: '200',
      encoding: 'UTF8',
    })
    expect(statSync(join(server.home, 'cluster', 'password')).mode & 0o777).toBe(0o600)
    expect(statSync(join(server.home, 'cluster', 'data')).mode & 0o777).toBe(0o700)
    expect(server).toMatchObject({ reused: false, host: '127.0.0.1', home: dataDir })
    await expect(withSql(server.url.replace(/:[^:@]+@/, ':wrong@'), sql => sql`select 1`)).rejects.toThrow(
      /password/,
    )
  } finally {
    await server.stop()
  }
})

test('a later start finds the data, and uses the same port and password', async () => {
  const first = await start()
  await withSql(first.url, sql => sql`create table kept as select 42 as answer`)
  expect(await first.stop()).toBe(true)
  expect(isRunning(first.pid)).toBe(false)

  const second = await start()
  try {
    expect(second.url).toBe(first.url)
    expect(second.reused).toBe(false)
    expect(await withSql(second.url, sql => sql`select answer from kept`)).toEqual([{ answer: 42 }])
  } finally {
    await second.stop()
  }
})

test('data wait for the disk by default', async () => {
  const server = await start({ fast: false })
  try {
    const [row] = await withSql(
      server.url,
      sql => sql`
        select current_setting('fsync') as fsync, current_setting('synchronous_commit') as commit,
          current_setting('full_page_writes') as pages, current_setting('data_checksums') as checksums`,
    )
    expect(row).toEqual({ fsync: 'on', commit: 'on', pages: 'on', checksums: 'on' })
  } finally {
    await server.stop()
  }
})

test('the server of a killed process lives on, and the next start uses it and can stop it', async () => {
  const killed = await startInChild()
  killed.child.kill('SIGKILL')
  await once(killed.child, 'exit')
  expect(isRunning(killed.pid)).toBe(true)

  const next = await start()

  expect(next).toMatchObject({ reused: true, pid: killed.pid, port: killed.port })
  expect(await next.stop()).toBe(true)
  expect(isRunning(killed.pid)).toBe(false)
})

test('two first starts at once end in one server, which the last user stops', async () => {
  const [one, two, here] = await Promise.all([startInChild(), startInChild(), start()])

  expect(new Set([one.pid, two.pid, here.pid]).size).toBe(1)
  expect([one.reused, two.reused, here.reused].filter(reused => !reused)).toHaveLength(1)
  expect(await here.stop()).toBe(false)
  expect(isRunning(here.pid)).toBe(true)
  one.child.stdin.end()
  await once(one.child, 'exit')
  expect(isRunning(here.pid)).toBe(true)
  two.child.stdin.end()
  await once(two.child, 'exit')
  expect(isRunning(here.pid)).toBe(false)
})

test('after a crash the leftover postmaster.pid is no obstacle, even if its number is now another server', async () => {
  const first = await start()
  await withSql(first.url, sql => sql`create table kept as select 42 as answer`)
  const file = join(first.home, 'cluster', 'data', 'postmaster.pid')
  const content = readFileSync(file, 'utf8')
  await first.stop()
  // A process of the same user, which PostgreSQL by itself takes for the old server.
  const other = await startEmbeddedPostgres({ dataDir: join(root, 'other'), fast: true, sharedHome })
  writeFileSync(file, content.replace(/^\d+/, String(other.pid)))
  try {
    const second = await start()
    expect(second.reused).toBe(false)
    expect(await withSql(second.url, sql => sql`select answer from kept`)).toEqual([{ answer: 42 }])
    await second.stop()
    expect(isRunning(other.pid)).toBe(true)
  } finally {
    await other.stop()
  }
})

test('when the server dies its user is told, and the next start recovers what was committed', async () => {
  const lost = Promise.withResolvers<string>()
  const first = await start({ fast: false, onLost: lost.resolve })
  await withSql(first.url, sql => sql`create table kept as select 42 as answer`)
  process.kill(first.pid, 'SIGKILL')
  expect(await lost.promise).toMatch(/PostgreSQL ended while it was in use: see .*postgres\.log/)
  expect(await first.stop()).toBe(true)

  const second = await start({ fast: false })
  try {
    expect(await withSql(second.url, sql => sql`select answer from kept`)).toEqual([{ answer: 42 }])
  } finally {
    await second.stop()
  }
})

test('another port is chosen when the last one is taken', async () => {
  const first = await start()
  await first.stop()
  const squatter = createServer().listen(first.port, '127.0.0.1')
  await once(squatter, 'listening')
  try {
    const second = await start()
    expect(second.port).not.toBe(first.port)
    expect(await withSql(second.url, sql => sql`select 1 as one`)).toEqual([{ one: 1 }])
    await second.stop()
  } finally {
    squatter.close()
  }
})

test('an interrupted first start leaves nothing in the way', async () => {
  mkdirSync(join(dataDir, 'making-999999999-abc', 'data'), { recursive: true })

  const server = await start()
  await server.stop()

  expect(existsSync(join(dataDir, 'making-999999999-abc'))).toBe(false)
})

test('as root, a folder closed to the user who runs PostgreSQL is replaced by a shared one, and that is said', async () => {
  mkdirSync(dataDir, { recursive: true })
  chmodSync(join(root, 'a folder'), 0o700)

  const server = await start()
  try {
    expect(await withSql(server.url, sql => sql`select 1 as one`)).toEqual([{ one: 1 }])
    if (isRoot) {
      expect(server.home.startsWith(`${sharedHome}/`)).toBe(true)
      expect(server.note).toMatch(
        /^Workly runs as root, but PostgreSQL cannot: the database lies in .*shared.*\.$/,
      )
    } else {
      expect(server).toMatchObject({ home: dataDir, note: undefined })
    }
  } finally {
    await server.stop()
  }
})

test('as root, a database that became unreachable is not replaced by an empty one', async () => {
  const first = await start()
  await first.stop()
  chmodSync(join(root, 'a folder'), 0o700)

  const second = start()

  if (isRoot) await expect(second).rejects.toThrow(/may no longer enter .*a folder.*chmod o\+x/)
  else await (await second).stop()
})

test('a database of another PostgreSQL release is refused with what to do', async () => {
  const first = await start()
  await first.stop()
  writeFileSync(join(dataDir, 'cluster', 'data', 'PG_VERSION'), '17\n')

  await expect(start()).rejects.toThrow(/was written by PostgreSQL 17, this Workly brings 18/)
})

test("a password that is not the database's is named as the trouble", async () => {
  const first = await startInChild()
  writeFileSync(join(dataDir, 'cluster', 'password'), 'wrong\n')

  await expect(start()).rejects.toThrow(/The password in .*password is not the database's/)
  expect(isRunning(first.pid)).toBe(true)
})

test('a folder that cannot be made is named', async () => {
  writeFileSync(join(root, 'file'), '')

  await expect(start({ dataDir: join(root, 'file', 'postgres') })).rejects.toThrow(
    /could not make its folder in .*ENOTDIR/,
  )
})

test('a damaged database is named as such', async () => {
  const first = await start()
  await first.stop()
  writeFileSync(join(dataDir, 'cluster', 'data', 'global', 'pg_control'), 'x'.repeat(8192))

  await expect(start()).rejects.toThrow(/The database files in .* are damaged/)
})
