import { existsSync, readFileSync } from 'node:fs'

/**
 * @typedef {object} Counts
 * @property {number} passed
 * @property {number} failed
 */

/**
 * Counts the tests of a Vitest JSON report.
 *
 * @param {string} path
 * @param {number} code the exit code of the run
 * @returns {Counts} a run that failed counts at least one failure, whatever its report says
 */
export function countVitest(path, code) {
  /** @type {{numPassedTests: number, numFailedTests: number, testResults: {status: string, assertionResults: unknown[]}[]} | undefined} */
  const report = read(path)
  if (report === undefined) return { passed: 0, failed: code === 0 ? 0 : 1 }
  // A file that could not be loaded has no tests to fail.
  const broken = report.testResults.filter(
    file => file.status === 'failed' && file.assertionResults.length === 0,
  )
  return atLeast(code, report.numPassedTests, report.numFailedTests + broken.length)
}

/**
 * Counts the tests of a Playwright JSON report; one that passed only when repeated counts as failed.
 *
 * @param {string} path
 * @param {number} code the exit code of the run
 * @returns {Counts}
 */
export function countPlaywright(path, code) {
  /** @type {{stats: {expected: number, unexpected: number, flaky: number}, errors: unknown[]} | undefined} */
  const report = read(path)
  if (report === undefined) return { passed: 0, failed: code === 0 ? 0 : 1 }
  const { expected, unexpected, flaky } = report.stats
  return atLeast(code, expected, unexpected + flaky + report.errors.length)
}

/**
 * The last line of a test run.
 *
 * @param {Counts[]} counts
 * @returns {{line: string, ok: boolean}} not ok when something failed or nothing ran
 */
export function closingLine(counts) {
  const passed = counts.reduce((sum, count) => sum + count.passed, 0)
  const failed = counts.reduce((sum, count) => sum + count.failed, 0)
  return { line: `${passed} passed, ${failed} failed`, ok: failed === 0 && passed > 0 }
}

/**
 * @param {number} code
 * @param {number} passed
 * @param {number} failed
 */
function atLeast(code, passed, failed) {
  return { passed, failed: code === 0 ? failed : Math.max(failed, 1) }
}

/** @param {string} path */
function read(path) {
  if (!existsSync(path)) return undefined
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    return undefined
  }
}
