import { readFileSync } from 'node:fs'
import { inRoot } from './place.mjs'
import { prepare } from './prepare.mjs'
import { capture } from './run.mjs'

/** Beside 0 (nothing known) and 1 (something known): nobody could be asked. */
const NOT_ASKED = 3

/**
 * `npm run audit`: what is known of the packages that a running Workly stands on. It asks the registry, so it is no part
 * of `npm run verify`, which needs no network.
 *
 * @returns {Promise<number>} the exit code: 0 nothing known, 1 something known, 3 the registry could not be asked
 */
export async function audit() {
  await prepare()
  const outcome = await capture(inRoot('node_modules/.bin/pnpm'), [
    'audit',
    '--prod',
    '--audit-level=moderate',
  ])
  console.log(outcome.output.trimEnd())
  const { code, words } = verdict(outcome)
  console.log(words)
  console.log(deprecated(readFileSync(inRoot('pnpm-lock.yaml'), 'utf8')))
  return code
}

/**
 * What the lockfile says of packages whose makers have given them up: pnpm keeps the registry's word with each package
 * that it has resolved, so this needs nobody to be asked.
 *
 * @param {string} lockfile
 * @returns {string}
 */
export function deprecated(lockfile) {
  const found = lockfile
    .split(/\n(?= {2}\S.*:\n)/)
    .filter(entry => /^ {4}deprecated: /m.test(entry))
    .map(entry => entry.trim().split(':\n', 1)[0])
  if (found.length === 0) return 'No package of the lockfile was deprecated when it was resolved.'
  return `Deprecated when they were resolved: ${found.join(', ')}.`
}

/**
 * What pnpm's answer means. That it could not ask must not look like that it found nothing.
 *
 * @param {{code: number, output: string}} outcome
 * @returns {{code: number, words: string}}
 */
export function verdict({ code, output }) {
  if (
    /ERR_PNPM_(?:AUDIT_(?:BAD_RESPONSE|ENDPOINT_NOT_EXISTS)|META_FETCH_FAIL)|ENOTFOUND|ECONNREFUSED|ETIMEDOUT/.test(
      output,
    )
  ) {
    return { code: NOT_ASKED, words: 'Nothing is known: this registry answers no audits.' }
  }
  if (code === 0)
    return { code: 0, words: 'Nothing of moderate severity or above is known of these packages.' }
  return { code: 1, words: 'Something is known of these packages; see above.' }
}
