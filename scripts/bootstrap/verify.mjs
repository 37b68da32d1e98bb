import { existsSync } from 'node:fs'
import { checkImports } from '../check-imports.mjs'
import { checkMigrations } from '../check-migrations.mjs'
import { inRoot, ROOT } from './place.mjs'
import { prepare, prisma, turbo } from './prepare.mjs'
import { seconds } from './report.mjs'
import { capture } from './run.mjs'

/** @typedef {{code: number, output: string}} Outcome */

/** @type {Record<string, () => Promise<Outcome>>} */
const CHECKS = {
  types: () => turbo(['run', 'typecheck', '--continue']),
  lint: () => capture(inRoot('node_modules/.bin/biome'), ['check', '--error-on-warnings', '.']),
  schema: () => prisma(['validate']),
  imports: async () => complaints(checkImports(ROOT)),
  migrations: async () => complaints(await checkMigrations(ROOT)),
  tree: ignoredFiles,
}

/**
 * `npm run verify`: what can be said of the code without running it. No database, a few seconds.
 *
 * @returns {Promise<number>} the exit code
 */
export async function verify() {
  await prepare()
  const begun = performance.now()
  const outcomes = await Promise.all(
    Object.entries(CHECKS).map(async ([name, check]) => {
      const { code, output } = await check()
      console.log(`${name.padEnd(10)} ${code === 0 ? 'ok' : 'FAILED'} (${seconds(begun)})`)
      if (code !== 0) console.log(output.trimEnd())
      return code === 0
    }),
  )
  const failed = outcomes.filter(ok => !ok).length
  console.log(failed === 0 ? 'All checks passed.' : `${failed} of ${outcomes.length} checks failed.`)
  return failed === 0 ? 0 : 1
}

/** Generated files and other things .gitignore names must not be in git. */
async function ignoredFiles() {
  if (!existsSync(inRoot('.git'))) return { code: 0, output: '' }
  const { code, output } = await capture('git', ['ls-files', '--cached', '--ignored', '--exclude-standard'])
  // Without git there is nothing to look at.
  if (code === 127) return { code: 0, output: '' }
  const files = output.split('\n').filter(line => line !== '')
  return complaints(files.map(file => `${file} is in git although .gitignore names it`))
}

/**
 * @param {string[]} lines
 * @returns {Outcome}
 */
function complaints(lines) {
  return { code: lines.length === 0 ? 0 : 1, output: lines.join('\n') }
}
