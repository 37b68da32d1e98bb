import { existsSync, rmSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { closingLine, countPlaywright, countVitest } from './closing-line.mjs'
import { inRoot, nodeBinary, STATE } from './place.mjs'
import { prepare } from './prepare.mjs'
import { Stop } from './report.mjs'
import { hand } from './run.mjs'

const REPORTS = join(STATE, 'test-reports')
const E2E_CONFIG = 'e2e/playwright.config.ts'
const FAULTS_CONFIG = 'e2e/faults.config.ts'
/** Prints what each fault has cost, and keeps it beside the reports. */
const FAULTS_TABLE = inRoot('e2e/harness/fleet/table-reporter.ts')

/**
 * `npm test`: everything; `npm test -- packages/core/src/id.test.ts` those files alone, `npm test -- e2e/journeys` those
 * of the tests from outside. The last line on standard output is always `N passed, N failed`.
 *
 * @param {string[]} filters
 * @returns {Promise<number>} the exit code
 */
export async function testAll(filters) {
  return closing(async counts => {
    const outside = filters.filter(filter => filter.startsWith('e2e'))
    const inside = filters.filter(filter => !filter.startsWith('e2e'))
    // The packages' own tests do not look at the console.
    const needsConsole = filters.length === 0 || filters.some(filter => /^(?:e2e|apps)\b/.test(filter))
    await prepare({ console: needsConsole })
    rmSync(REPORTS, { recursive: true, force: true })
    if (filters.length === 0 || inside.length > 0) counts.push(await runVitest(inside))
    if (filters.length === 0 || outside.length > 0) counts.push(await runPlaywright(E2E_CONFIG, outside))
  })
}

/**
 * `npm run faults`: the tests from outside that take minutes each, with the same closing line.
 *
 * @param {string[]} filters
 * @returns {Promise<number>} the exit code
 */
export async function testFaults(filters) {
  return closing(async counts => {
    await prepare({ console: true })
    rmSync(REPORTS, { recursive: true, force: true })
    counts.push(await runPlaywright(FAULTS_CONFIG, filters, [FAULTS_TABLE]))
  })
}

/**
 * @param {(counts: import('./closing-line.mjs').Counts[]) => Promise<void>} run
 * @returns {Promise<number>} the exit code
 */
async function closing(run) {
  /** @type {import('./closing-line.mjs').Counts[]} */
  const counts = []
  try {
    await run(counts)
  } catch (error) {
    console.error(error instanceof Stop ? error.message : error)
    counts.push({ passed: 0, failed: 1 })
  }
  const { line, ok } = closingLine(counts)
  console.log(line)
  return ok ? 0 : 1
}

/** @param {string[]} filters */
async function runVitest(filters) {
  const report = join(REPORTS, 'vitest.json')
  const code = await hand(nodeBinary(), [
    inRoot('node_modules/vitest/vitest.mjs'),
    'run',
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${report}`,
    ...filters,
  ])
  return countVitest(report, code)
}

/**
 * @param {string} config
 * @param {string[]} filters
 * @param {string[]} reporters more of them, by path
 */
async function runPlaywright(config, filters, reporters = []) {
  if (!existsSync(inRoot(config))) return { passed: 0, failed: 0 }
  if (!hasChromium())
    console.log('The browser tests need Chromium, which is not here: apt-get install -y chromium')
  const report = join(REPORTS, 'playwright.json')
  const code = await hand(
    nodeBinary(),
    [
      '--disable-warning=ExperimentalWarning',
      inRoot('e2e/node_modules/@playwright/test/cli.js'),
      'test',
      '--config',
      inRoot(config),
      `--reporter=${['list', 'json', ...reporters].join(',')}`,
      ...filters,
    ],
    { env: { PLAYWRIGHT_JSON_OUTPUT_NAME: report, FAULTS_REPORT_DIR: REPORTS } },
  )
  return countPlaywright(report, code)
}

function hasChromium() {
  const folders = (process.env.PATH ?? '').split(delimiter)
  return folders.some(folder => existsSync(join(folder, 'chromium')))
}
