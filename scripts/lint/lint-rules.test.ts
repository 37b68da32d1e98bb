import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, test } from 'vitest'

const REPOSITORY = fileURLToPath(new URL('../../', import.meta.url))
const BIOME = join(REPOSITORY, 'node_modules/.bin/biome')

let root: string

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'workly-lint-'))
  for (const file of ['biome.json', '.gitignore', 'scripts/lint/no-clock.grit']) {
    cpSync(join(REPOSITORY, file), join(root, file))
  }
})

afterEach(() => rmSync(root, { recursive: true }))

/** Lints files by the repository's rules: the names of the rules each breaks. */
function lint(files: Record<string, string>): string[] {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), content)
  }
  const { stdout } = spawnSync(
    BIOME,
    ['lint', '--reporter=github', '--max-diagnostics=none', 'packages', 'apps'],
    {
      cwd: root,
      encoding: 'utf8',
    },
  )
  const found = stdout.matchAll(/::error title=([^,]+),file=([^,]+),line=(\d+)/g)
  return [...found].map(([, rule, file, line]) => `${file?.replace(`${root}/`, '')}:${line} ${rule}`)
}

const CLOCKS = ['new Date()', 'new Date', 'Date.now()', '[1].map(Date.now)', 'performance.now()', 'Date()']

test.each(CLOCKS)('%s is refused in core and services', clock => {
  const code = `export const at = ${clock}\n`

  expect(lint({ 'packages/core/src/a.ts': code, 'packages/services/src/job/a.ts': code })).toEqual([
    'packages/core/src/a.ts:1 plugin',
    'packages/services/src/job/a.ts:1 plugin',
  ])
})

test('a date made of an argument is fine, and so are clocks in tests and elsewhere', () => {
  const clocks = CLOCKS.map((clock, index) => `export const at${index} = ${clock}\n`).join('')

  expect(
    lint({
      'packages/core/src/a.ts': 'export const at = (ms: number) => [new Date(ms), new Date("2026-12-01")]\n',
      'packages/core/src/a.test.ts': clocks,
      'packages/services/test/clock.ts': clocks,
      'apps/worker/src/clock.ts': clocks,
    }),
  ).toEqual([])
})

test('the environment is read in env.ts only', () => {
  const code = 'export const url = process.env.DATABASE_URL\n'

  expect(lint({ 'apps/api/src/server.ts': code, 'apps/api/src/env.ts': code })).toEqual([
    'apps/api/src/server.ts:1 lint/style/noProcessEnv',
  ])
})

test('files that import each other are refused', () => {
  expect(
    lint({
      'packages/core/src/a.ts': "import { b } from './b.ts'\nexport const a = () => b\n",
      'packages/core/src/b.ts': "import { a } from './a.ts'\nexport const b = () => a\n",
    }),
  ).toEqual([
    'packages/core/src/a.ts:1 lint/suspicious/noImportCycles',
    'packages/core/src/b.ts:1 lint/suspicious/noImportCycles',
  ])
})

test('a file of more than 500 lines is refused', () => {
  const lines = (count: number) =>
    Array.from({ length: count }, (_, index) => `export const a${index} = 1\n`).join('')

  expect(lint({ 'packages/core/src/long.ts': lines(501), 'packages/core/src/fits.ts': lines(499) })).toEqual([
    'packages/core/src/long.ts:1 lint/style/noExcessiveLinesPerFile',
  ])
})

test.each([
  ['lint/suspicious/noExplicitAny', 'export const a = (x: any) => x\n'],
  ['lint/style/noNonNullAssertion', 'export const a = (x?: { y: 1 }) => x!.y\n'],
  ['lint/suspicious/noConsole', "console.log('x')\n"],
  ['lint/suspicious/noSkippedTests', "import { test } from 'vitest'\ntest.skip('x', () => undefined)\n"],
  ['lint/suspicious/noFocusedTests', "import { test } from 'vitest'\ntest.only('x', () => undefined)\n"],
])('%s holds', (rule, code) => {
  expect(lint({ 'packages/core/src/a.test.ts': code })).toEqual([expect.stringContaining(rule)])
})
