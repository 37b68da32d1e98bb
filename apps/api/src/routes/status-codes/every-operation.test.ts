import { readdirSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { OPERATIONS } from '../operations.ts'

// That a file shows every status of its operations, and no status that the document does not declare, it says itself.

it('each operation has a table of its status codes, once', () => {
  const tables = readdirSync(import.meta.dirname)
    .map(file => readFileSync(`${import.meta.dirname}/${file}`, 'utf8'))
    .flatMap(source => [...source.matchAll(/^statusCodes\(\[([^\]]+)\]/gm)])
    .flatMap(([, ids = '']) => [...ids.matchAll(/'(\w+)'/g)].map(([, id]) => id))
  expect(tables.sort()).toEqual(OPERATIONS.map(op => op.id).sort())
})
