import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { expect, test } from '@playwright/test'
import { freePort, newDataDir, startInVain, type Told } from '../harness/stack.ts'

let folder: string

test.beforeEach(() => {
  folder = newDataDir()
})

test.afterEach(() => rmSync(folder, { recursive: true }))

function expectOneSentence(told: Told, sentence: RegExp): void {
  expect(told.stderr).toMatch(sentence)
  expect(told.stderr.trimEnd().split('\n')).toHaveLength(1)
  expect(told.code).toBe(1)
}

test('a start on a taken port says so and touches nothing', async () => {
  const other = createServer().listen(0, '127.0.0.1')
  await once(other, 'listening')
  const address = other.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  const told = await startInVain({ WORKLY_PORT: String(port), WORKLY_DATA_DIR: join(folder, 'data') })
  other.close()

  expectOneSentence(told, new RegExp(`^Port ${port} is taken\\. .*WORKLY_PORT=${port + 1} npm start$`, 'm'))
  expect(readdirSync(folder)).toEqual([])
})

test('a data folder that cannot be made is named', async () => {
  writeFileSync(join(folder, 'file'), '')
  const dataDir = join(folder, 'file', 'data')
  const told = await startInVain({ WORKLY_PORT: String(await freePort()), WORKLY_DATA_DIR: dataDir })

  expectOneSentence(
    told,
    /^\S+ cannot be made, since a part of its path is a file; set WORKLY_DATA_DIR to a folder that Workly can use\.$/m,
  )
  expect(told.stderr).toContain(join(folder, 'file'))
})

test('a data folder that may not be written is named', async () => {
  // The root user may write everywhere but where the kernel itself says no.
  const isRoot = process.getuid?.() === 0
  const closed = isRoot ? '/sys/workly' : join(folder, 'closed')
  if (!isRoot) {
    mkdirSync(closed)
    chmodSync(closed, 0o555)
  }
  const told = await startInVain({ WORKLY_PORT: String(await freePort()), WORKLY_DATA_DIR: closed })

  expectOneSentence(
    told,
    /^\S+ (may not be written by this user|lies on a disk that is mounted read-only); set WORKLY_DATA_DIR to a folder that Workly can use\.$/m,
  )
  expect(told.stderr).toContain(closed)
})

test('a stop in the middle of the start leaves nothing behind', async () => {
  const told = await startInVain(
    { WORKLY_PORT: String(await freePort()), WORKLY_DATA_DIR: folder },
    { stopAt: 'PostgreSQL is ready' },
  )

  expect(told).toMatchObject({ code: 0, stderr: '' })
  expect(existsSync(join(folder, 'postgres/cluster/data/postmaster.pid'))).toBe(false)
})

test('a setting that is no number is named with what is allowed', async () => {
  const told = await startInVain({ WORKLY_PORT: 'http', WORKLY_DATA_DIR: folder })

  expectOneSentence(told, /WORKLY_PORT is "http"; a whole number from 1 to 65535 is allowed\.$/m)
})
