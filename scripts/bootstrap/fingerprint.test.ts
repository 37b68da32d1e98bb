import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { fingerprint, unlessDone } from './fingerprint.mjs'

let root: string

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'workly-fingerprint-'))
  write('lock.yaml', 'a')
  write('packages/core/src/id.ts', 'a')
})

afterEach(() => rmSync(root, { recursive: true }))

function write(path: string, content: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), content)
}

function print(more: string[] = []): string {
  return fingerprint(['lock.yaml', 'packages', 'missing'], more, root)
}

test.each([
  ['a changed file', 'lock.yaml', 'b'],
  ['a changed source', 'packages/core/src/id.ts', 'b'],
  ['a new source', 'packages/core/src/new.ts', 'a'],
])('%s changes it', (_what, path, content) => {
  const before = print()
  write(path, content)

  expect(print()).not.toBe(before)
})

test('a renamed source changes it, and so does what else is given', () => {
  const before = print()
  rmSync(join(root, 'packages/core/src/id.ts'))
  write('packages/core/src/ids.ts', 'a')

  expect(print()).not.toBe(before)
  expect(print(['linux'])).not.toBe(print(['darwin']))
})

test('tests, packages and what was built do not change it', () => {
  const before = print()
  write('packages/core/src/id.test.ts', 'a')
  write('packages/core/test/vectors.ts', 'a')
  write('packages/core/node_modules/x/index.js', 'a')
  write('packages/console/.next/build.json', 'a')

  expect(print()).toBe(before)
})

test('work is done once per fingerprint, and again after it failed', async () => {
  const stamp = join(root, 'out', '.stamp')
  let done = 0
  const work = async () => void done++

  await unlessDone(stamp, 'one', work)
  await unlessDone(stamp, 'one', work)
  expect(done).toBe(1)

  await expect(unlessDone(stamp, 'two', () => Promise.reject(new Error('no')))).rejects.toThrow('no')
  await unlessDone(stamp, 'two', work)
  expect(done).toBe(2)
  expect(existsSync(stamp)).toBe(true)
})
