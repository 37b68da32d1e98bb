import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { alone } from './lock.mjs'

let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'workly-lock-'))
})

afterEach(() => rmSync(folder, { recursive: true, force: true }))

test('the second waits until the first is done, also when that fails', async () => {
  const said: string[] = []
  const begun = Promise.withResolvers<void>()
  const end = Promise.withResolvers<void>()
  const first = alone(async () => {
    said.push('first begins')
    begun.resolve()
    await end.promise
    said.push('first fails')
    throw new Error('no')
  }, folder)
  await begun.promise
  const second = alone(async () => void said.push('second'), folder)
  end.resolve()

  await expect(first).rejects.toThrow('no')
  await second
  expect(said).toEqual(['first begins', 'first fails', 'second'])
  expect(existsSync(join(folder, 'setup.lock'))).toBe(false)
})

test('a lock whose process is gone is taken over', async () => {
  writeFileSync(join(folder, 'setup.lock'), '999999999')
  let owner = ''

  await alone(async () => {
    owner = readFileSync(join(folder, 'setup.lock'), 'utf8')
  }, folder)

  expect(owner).toBe(String(process.pid))
})

test('a folder that cannot be made is named', async () => {
  writeFileSync(join(folder, 'file'), '')

  await expect(alone(async () => undefined, join(folder, 'file', 'state'))).rejects.toThrow(
    /^Workly keeps its data in .*file\/state and may not write there \(ENOTDIR\)\.$/,
  )
})
