// Holds the walls between the packages that the linter cannot see: who may import whom, and by which door.
// `node scripts/check-imports.mjs` prints each breach and exits 1; docs/decisions say why the walls are there.

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { argv, exit } from 'node:process'
import { fileURLToPath } from 'node:url'

/**
 * Which workspace packages the code of each may import: core ← db ← services ← api, console,
 * operator, worker; core ← delivery ← api, console, worker; core ← sdk ← cli, mcp. Only standalone may import apps.
 *
 * @type {Record<string, string[]>}
 */
const MAY_IMPORT = {
  core: [],
  db: ['core'],
  services: ['core', 'db'],
  delivery: ['core'],
  sdk: ['core'],
  cli: ['sdk'],
  mcp: ['sdk'],
  api: ['core', 'services', 'delivery', 'mcp'],
  console: ['core', 'services', 'delivery'],
  worker: ['core', 'services', 'delivery'],
  operator: ['core', 'services'],
  standalone: ['core', 'db', 'services', 'api', 'console', 'worker'],
  // delivery only for its engines and clusters of tests.
  e2e: ['core', 'db', 'delivery', 'sdk', 'cli', 'mcp'],
}

/** Apps may import db too, in this file alone: there the parts are put together. */
const COMPOSITION = /^compose\.tsx?$/
const APPS = ['api', 'console', 'worker', 'operator']
/** Their tests run on a real database. */
const TESTED_ON_DB = ['services', ...APPS]

/** What is measured or broken is made by the services here: tenants, which no public API founds, and very many jobs. */
const SEEDS = /^(?:bench|harness\/fleet)\//

const CODE = /\.(?:ts|tsx|mts|mjs|js|jsx)$/
const NOT_OURS = new Set([
  'node_modules',
  'generated',
  'dist',
  '.next',
  '.turbo',
  'test-results',
  'playwright-report',
])

/**
 * @param {string} root the repository
 * @returns {string[]} one line per breach, sorted
 */
export function checkImports(root) {
  const breaches = packagesOf(root).flatMap(({ name, folder }) => {
    const allowed = MAY_IMPORT[name]
    if (allowed === undefined) {
      return [
        `${relative(root, folder)}: ${name} is new: say in scripts/check-imports.mjs what it may import`,
      ]
    }
    return [
      ...checkManifest(root, folder, allowed, name),
      ...filesOf(folder).flatMap(file => checkFile(root, file, { name, folder, allowed })),
    ]
  })
  return breaches.sort()
}

/** @param {string} root */
function packagesOf(root) {
  const folders = ['packages', 'apps'].flatMap(group =>
    foldersIn(join(root, group)).map(name => join(root, group, name)),
  )
  const packages = [...folders, join(root, 'e2e')].filter(folder => existsSync(join(folder, 'package.json')))
  return packages.map(folder => {
    /** @type {{name: string}} */
    const { name } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
    return { name: name.replace('@workly/', ''), folder }
  })
}

/**
 * @param {string} root
 * @param {string} folder
 * @param {string[]} allowed
 * @param {string} name
 */
function checkManifest(root, folder, allowed, name) {
  /** @type {{dependencies?: Record<string, string>}} */
  const { dependencies = {} } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const composed = APPS.includes(name) ? ['db'] : []
  return Object.keys(dependencies)
    .filter(dependency => dependency.startsWith('@workly/'))
    .map(dependency => dependency.replace('@workly/', ''))
    .filter(dependency => ![...allowed, ...composed].includes(dependency))
    .map(dependency => `${relative(root, folder)}/package.json: ${name} may not depend on ${dependency}`)
}

/**
 * @param {string} root
 * @param {string} file
 * @param {{name: string, folder: string, allowed: string[]}} owner
 * @returns {string[]}
 */
function checkFile(root, file, { name, folder, allowed }) {
  const code = withoutComments(readFileSync(file, 'utf8'))
  const isTest = /\.test\.tsx?$/.test(file) || /(?:^|\/)(?:test|bench)\//.test(relative(folder, file))
  /** @type {string[]} */
  const breaches = []
  const say = (/** @type {string} */ what) => breaches.push(`${relative(root, file)}: ${what}`)

  for (const specifier of specifiersOf(code)) {
    const [, other] = /^@workly\/([^/]+)/.exec(specifier) ?? []
    if (other !== undefined && other !== name) {
      const dbHere =
        other === 'db' &&
        ((APPS.includes(name) && COMPOSITION.test(basename(file))) || (isTest && TESTED_ON_DB.includes(name)))
      const seedHere = name === 'e2e' && other === 'services' && SEEDS.test(relative(folder, file))
      if (!allowed.includes(other) && !dbHere && !seedHere) {
        const door = other === 'db' && APPS.includes(name) ? ' (but in compose.ts)' : ''
        say(`${name} may not import ${specifier}${door}`)
      }
    }
    if (specifier === '@workly/db/testing' && !isTest) say('only tests may import @workly/db/testing')
    if (specifier.startsWith('.')) {
      const target = resolve(dirname(file), specifier)
      if (!`${target}/`.startsWith(`${folder}/`) && (CODE.test(target) || !/\.\w+$/.test(target))) {
        say(`${specifier} leaves the package: import it by its name`)
      }
    }
    if (name === 'core' && !isTest && specifier.startsWith('node:'))
      say(`core does no I/O and may not import ${specifier}`)
  }
  if (!isTest && name !== 'e2e' && !/^env\.ts$|\.config\.\w+$/.test(basename(file))) {
    // The linter knows `process.env`; these are its other names.
    const other = /from\s*['"]node:process['"]|\{[^}]*\benv\b[^}]*\}\s*=\s*process\b|import\.meta\.env/.exec(
      code,
    )
    if (other !== null) say(`the environment is read only in env.ts (${other[0].replaceAll(/\s+/g, ' ')})`)
  }
  return breaches
}

/** @param {string} code */
function specifiersOf(code) {
  const found = code.matchAll(/(?:\bfrom\s*|\bimport\s*\(?\s*|\brequire\s*\(\s*)(['"])([^'"\n]+)\1/g)
  return [...found].map(([, , specifier = '']) => specifier)
}

/**
 * Block comments, and line comments that stand alone or follow code and a blank; `//` inside a URL stays.
 *
 * @param {string} code
 */
function withoutComments(code) {
  return code.replaceAll(/\/\*[\s\S]*?\*\//g, '').replaceAll(/(^|\s)\/\/.*$/gm, '$1')
}

/**
 * @param {string} folder
 * @returns {string[]}
 */
function filesOf(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap(entry => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return NOT_OURS.has(entry.name) ? [] : filesOf(path)
    return CODE.test(entry.name) ? [path] : []
  })
}

/** @param {string} folder */
function foldersIn(folder) {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { withFileTypes: true })
    .filter(entry => entry.isDirectory())
    .map(entry => entry.name)
}

if (argv[1] === fileURLToPath(import.meta.url)) {
  const breaches = checkImports(resolve(dirname(fileURLToPath(import.meta.url)), '..'))
  for (const breach of breaches) console.error(breach)
  exit(breaches.length === 0 ? 0 : 1)
}
