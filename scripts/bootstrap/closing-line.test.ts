import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { closingLine, countPlaywright, countVitest } from './closing-line.mjs'

let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'workly-closing-'))
})

afterEach(() => rmSync(folder, { recursive: true }))

function report(content: unknown): string {
  const path = join(folder, 'report.json')
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content))
  return path
}

const file = (status: string, tests: number) => ({
  status,
  assertionResults: Array.from({ length: tests }, () => ({})),
})

test('the tests of both runs are added up', () => {
  expect(
    closingLine([
      { passed: 3, failed: 0 },
      { passed: 4, failed: 0 },
    ]),
  ).toEqual({ line: '7 passed, 0 failed', ok: true })
  expect(
    closingLine([
      { passed: 3, failed: 1 },
      { passed: 4, failed: 2 },
    ]),
  ).toEqual({ line: '7 passed, 3 failed', ok: false })
})

test('a run of nothing is not a success', () => {
  expect(closingLine([])).toEqual({ line: '0 passed, 0 failed', ok: false })
})

test('a Vitest file that does not load counts as one failure', () => {
  const path = report({
    numPassedTests: 5,
    numFailedTests: 1,
    testResults: [file('passed', 5), file('failed', 1), file('failed', 0)],
  })

  expect(countVitest(path, 1)).toEqual({ passed: 5, failed: 2 })
})

test('a run that failed beside its tests (an unhandled error, a broken teardown) counts one failure', () => {
  const vitest = report({ numPassedTests: 5, numFailedTests: 0, testResults: [file('passed', 5)] })
  expect(countVitest(vitest, 1)).toEqual({ passed: 5, failed: 1 })
  expect(countVitest(vitest, 0)).toEqual({ passed: 5, failed: 0 })

  const playwright = report({ stats: { expected: 2, unexpected: 0, flaky: 0 }, errors: [] })
  expect(countPlaywright(playwright, 1)).toEqual({ passed: 2, failed: 1 })
})

test('a run that left no report, or half of one, counts one failure', () => {
  expect(countVitest(join(folder, 'none.json'), 1)).toEqual({ passed: 0, failed: 1 })
  expect(countPlaywright(report('{"stats":'), 1)).toEqual({ passed: 0, failed: 1 })
})

test('a Playwright test that passes only when repeated is a failure, and so is an error outside tests', () => {
  const path = report({
    stats: { expected: 7, unexpected: 1, flaky: 1 },
    errors: [{ message: 'no browser' }],
  })

  expect(countPlaywright(path, 1)).toEqual({ passed: 7, failed: 3 })
})
