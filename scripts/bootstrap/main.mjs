import { existsSync } from 'node:fs'
import { audit } from './audit.mjs'
import { inRoot, nodeBinary } from './place.mjs'
import { generate, prepare } from './prepare.mjs'
import { Stop } from './report.mjs'
import { hand } from './run.mjs'
import { testAll, testFaults } from './test.mjs'
import { verify } from './verify.mjs'

/** @type {Record<string, (args: string[]) => Promise<number>>} */
const VERBS = {
  /** Everything on one port: Postgres, API, console, worker. From here on apps/standalone speaks. */
  async start(args) {
    await prepare({ console: true })
    return handToNode('apps/standalone/src/main.ts', args, { NODE_ENV: process.env.NODE_ENV ?? 'production' })
  },
  test: testAll,
  faults: testFaults,
  verify,
  audit,
  async generate() {
    await prepare()
    await generate()
    return 0
  },
  /** Limits, encryption keys: apps/operator speaks. */
  async operator(args) {
    await prepare()
    return handToNode('apps/operator/src/main.ts', args, {})
  },
  async bench(args) {
    await prepare({ console: true })
    const [first, ...rest] = args
    // With settings of its own it is a program of its own, which compares with graphile-worker and looks into each part.
    if (first === 'throughput' && rest.length > 0 && !rest.includes('--small'))
      return handToNode('e2e/bench/throughput.ts', rest, { NODE_ENV: process.env.NODE_ENV ?? 'production' })
    return handToNode('e2e/bench/main.ts', args, { NODE_ENV: process.env.NODE_ENV ?? 'production' })
  },
}

/**
 * @param {string[]} args the verb and what is for it
 * @returns {Promise<number>} the exit code
 */
export async function main([name = '', ...args]) {
  const verb = VERBS[name]
  if (verb === undefined) {
    console.error(`bootstrap.mjs takes one of ${Object.keys(VERBS).join(', ')}, not "${name}".`)
    return 2
  }
  // npm's own child: npm passes signals on, but not SIGKILL.
  if (process.env.npm_lifecycle_event !== undefined) await import('./end-with-parent.mjs')
  try {
    return await verb(args)
  } catch (error) {
    console.error(error instanceof Stop ? error.message : error)
    return 1
  }
}

/**
 * @param {string} script
 * @param {string[]} args
 * @param {Record<string, string>} env
 */
function handToNode(script, args, env) {
  if (!existsSync(inRoot(script)))
    throw new Stop(`${script} is missing: this copy of Workly is not complete.`)
  // Node 22 runs TypeScript with a warning, newer ones without.
  const flags = [
    '--disable-warning=ExperimentalWarning',
    '--import',
    new URL('end-with-parent.mjs', import.meta.url).href,
  ]
  return hand(nodeBinary(), [...flags, inRoot(script), ...args], { env, apart: true })
}
