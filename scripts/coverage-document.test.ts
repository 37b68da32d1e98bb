import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'

const ROOT = new URL('../', import.meta.url)

interface Row {
  promise: string
  where: string[]
  tests: { file: string; title: string }[]
}

/** The rows of the tables of docs/coverage.md: a promise, files in backquotes, and titles of tests in quotation marks. */
async function readRows(): Promise<Row[]> {
  const text = await readFile(new URL('docs/coverage.md', ROOT), 'utf8')
  return text
    .split('\n')
    .filter(line => line.startsWith('| ') && !line.startsWith('| --- ') && !line.startsWith('| promise '))
    .map(line => {
      const [promise = '', where = '', tests = ''] = line.slice(2, -2).split(' | ')
      let file = ''
      return {
        promise,
        where: [...where.matchAll(/`([^`]+)`/g)].map(([, path = '']) => path),
        tests: [...tests.matchAll(/`([\w./-]+\.ts)`: |“([^”]+)”/g)].flatMap(([, path, title]) => {
          if (path !== undefined) file = path
          return title === undefined ? [] : [{ file, title }]
        }),
      }
    })
}

describe('docs/coverage.md', async () => {
  const rows = await readRows()

  it('has a file and a test for every promise', () => {
    expect(rows.length).toBeGreaterThan(100)
    expect(rows.filter(row => row.where.length === 0 || row.tests.length === 0)).toEqual([])
  })

  it.each(rows)('$promise', async ({ where, tests }) => {
    expect(where.filter(path => !existsSync(new URL(path, ROOT)))).toEqual([])
    for (const { file, title } of tests) {
      const source = await readFile(new URL(file, ROOT), 'utf8')
      expect(source.includes(title), `${file} has no test “${title}”`).toBe(true)
    }
  })
})
