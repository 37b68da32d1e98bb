import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { checkImports } from './check-imports.mjs'

let root: string

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'workly-imports-'))
  for (const name of ['core', 'db', 'services', 'delivery', 'sdk', 'cli', 'mcp'])
    manifest(`packages/${name}`, name)
  for (const name of ['api', 'console', 'worker', 'standalone']) manifest(`apps/${name}`, name)
  manifest('e2e', 'e2e')
})

afterEach(() => rmSync(root, { recursive: true }))

function write(path: string, content: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), content)
}

function manifest(folder: string, name: string, dependencies = {}): void {
  write(`${folder}/package.json`, JSON.stringify({ name: `@workly/${name}`, dependencies }))
}

test('what the layout allows passes', () => {
  write('packages/db/src/a.ts', "import { x } from '@workly/core'")
  write('packages/services/src/a.ts', "import { x } from '@workly/db'\nimport { y } from '@workly/core'")
  write('packages/services/src/a.test.ts', "import { createTestDatabase } from '@workly/db/testing'")
  write('apps/worker/src/a.ts', "import { x } from '@workly/delivery'\nimport { y } from '@workly/services'")
  write('apps/api/src/compose.ts', "import { createSql } from '@workly/db'")
  write('apps/api/src/a.test.ts', "import { createTestDatabase } from '@workly/db/testing'")
  write(
    'apps/standalone/src/main.ts',
    "import { x } from '@workly/api'\nimport { y } from '@workly/db/embedded'",
  )
  write('packages/core/src/a.ts', "import { x } from './b.ts'\nimport { y } from '@workly/core'\n")
  write(
    'packages/core/src/b.ts',
    "// import { x } from '@workly/db'\n/* from '@workly/db' */ export const x = 1",
  )
  write('packages/db/src/env.ts', "import { env } from 'node:process'")
  write('packages/core/node_modules/x/index.js', "import '@workly/db'")
  write('e2e/bench/a.ts', "import { x } from '@workly/services'")

  expect(checkImports(root)).toEqual([])
})

test.each([
  ['packages/core/src/a.ts', "import { x } from '@workly/db'", 'core may not import @workly/db'],
  [
    'packages/core/src/a.test.ts',
    "import { x } from '@workly/db/testing'",
    'core may not import @workly/db/testing',
  ],
  ['packages/db/src/a.ts', "export { x } from '@workly/services'", 'db may not import @workly/services'],
  ['packages/delivery/src/a.ts', "import '@workly/db'", 'delivery may not import @workly/db'],
  [
    'packages/services/src/a.ts',
    "const x = await import('@workly/delivery')",
    'services may not import @workly/delivery',
  ],
  [
    'packages/sdk/src/a.ts',
    "import type { X } from '@workly/services'",
    'sdk may not import @workly/services',
  ],
  ['packages/cli/src/a.ts', "const x = require('@workly/core')", 'cli may not import @workly/core'],
  ['apps/api/src/a.ts', "import { x } from '@workly/worker'", 'api may not import @workly/worker'],
  ['apps/console/src/a.tsx', "import { x } from '@workly/api'", 'console may not import @workly/api'],
  [
    'apps/api/src/routes/job.ts',
    "import {\n  x,\n} from '@workly/db'",
    'api may not import @workly/db (but in compose.ts)',
  ],
  ['e2e/api/a.ts', "import { x } from '@workly/services'", 'e2e may not import @workly/services'],
  ['apps/api/src/compose.ts', "import '@workly/db/testing'", 'only tests may import @workly/db/testing'],
  [
    'packages/db/src/a.ts',
    "import { x } from '../../core/src/x.ts'",
    '../../core/src/x.ts leaves the package: import it by its name',
  ],
  [
    'packages/core/src/a.ts',
    "import { readFile } from 'node:fs/promises'",
    'core does no I/O and may not import node:fs/promises',
  ],
  [
    'apps/api/src/a.ts',
    "import { env } from 'node:process'",
    "the environment is read only in env.ts (from 'node:process')",
  ],
  [
    'apps/api/src/a.ts',
    'const { env } = process',
    'the environment is read only in env.ts ({ env } = process)',
  ],
  [
    'apps/console/src/a.ts',
    'export const x = import.meta.env.X',
    'the environment is read only in env.ts (import.meta.env)',
  ],
])('%s with %j is a breach', (path, code, message) => {
  write(path, code)

  expect(checkImports(root)).toEqual([`${path}: ${message}`])
})

test('a dependency that may not be imported may not be declared either', () => {
  manifest('packages/core', 'core', { zod: '1', '@workly/db': 'workspace:*' })

  expect(checkImports(root)).toEqual(['packages/core/package.json: core may not depend on db'])
})

test('a new package must be placed in the order first', () => {
  manifest('packages/helpers', 'helpers')

  expect(checkImports(root)).toEqual([
    'packages/helpers: helpers is new: say in scripts/check-imports.mjs what it may import',
  ])
})
